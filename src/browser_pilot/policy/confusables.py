"""Look-alike letters: the skeleton of a text, after UTS 39 (Unicode security mechanisms). Data and pure functions.

Two texts that look alike have the same skeleton: "Рау now" with Cyrillic letters has that of "Pay now". A skeleton is
for comparing only. Full-width, mathematical and circled letters are resolved by NFKD. The table below is written by
hand (2026-11) for the letters that imitate a basic Latin letter, in the scripts that fonts show in the same style; it
is not Unicode's ``confusables.txt``. Of the single letters there that stand for a Latin one, it covers five of six; the
rest belong to historic and rare scripts.
"""

from __future__ import annotations

import re

# Letter of another script or a variant, then the Latin letter that it looks like. Case matters: the
# Cyrillic capital En looks like "H", the small one like no small letter.
_PAIRS = """
аa сc ԁd еe ҽe һh іi їi ӏl јj кk оo рp ԛq ѕs уy ўy үy ұy хx ѵv ԝw ѡw пn гr ꙅs ԍg ьb
АA ВB СC ЕE НH ІI ЇI ЈJ КK МM ОO РP ԚQ ЅS ТT УY ҮY ХX ԜW ѴV ԌG ӀI ҺH ЗZ ԀD ЬB
αa ϲc ϵe εe ϝf ηn ιi ϳj κk οo σo ρp ϱp τt υu νv ωw χx γy ɣy βb ςc
ΑA ΒB ϹC ΕE ΗH ΙI ϳJ ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ΖZ ϜF
օo ոn սu հh յj ցg զq ւL ԼL ՕO ՍU ՏS ՀZ ոn քp լl ձd եt աw գq ռn
ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎥI ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᏔW ᎩY ᏃZ Ꮍy ᏏB ᏧD ᏂH ᏒR ᏕS ᎳW ꭵi ꮃw ꭰd ꮯc ꮲp ꮪs ꮩv ꮤw ꮓz ꭺa ꭼe ꮋh ꮮl
ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU
ⲟo ⲣp ⲥc ⲁa ⲓi ⲭx ⲛn ⲎH ⲘM ⲚN ⲞO ⲢP ⲤC ⲦT ⲨY ⲬX ⲀA ⲂB ⲈE ⲒI ⲔK
סo וl ןl ہo ھo اl ٥o ०o ০o οo
ɑa ɐa ɒa ʙb ɓb ƅb ƃb ᴄc ƈc ɕc ᴅd ɗd ɖd ᴇe ɛe ɘe ǝe əe ꜰf ƒf ɢg ɡg ɠg ʜh ɦh ħh ɪi ɩi ɨi ᴊj ȷj ʝj ᴋk ƙk ʟl ɭl ƚl ɫl
ᴍm ɱm ɴn ɲn ɳn ƞn ŋn ᴏo ɵo ɔo ᴘp ƥp þp ʠq ɋq ʀr ɼr ɽr ɾr ꜱs ʂs ƨs ʃs ᴛt ƫt ƭt ʈt ŧt ᴜu ʊu ʉu ᴠv ʋv ᴡw ɯw ʏy ƴy ɏy
ᴢz ʐz ƶz ʑz ƿp ȝz ꞵb ꬲe ᴀa ⅼl ǀl ∣l Ɩl ᴑo ꬽo ỿy ᶌy ꭚy ꞙf ꬵf ᶃg ꭇr ꞟu ꭎu ꭒu ꙇi
ƁB ƇC ƊD ƐE ƑF ƓG ƗI ƘK ȽL ƝN ƠO ƤP ƦR ƬT ƲV ƳY ƵZ ŦT ĦH ÞP ƧS ƆC ƎE
"""
_TABLE: dict[int, str] = {ord(pair[0]): pair[1:] for pair in _PAIRS.split()}
for _first, _count in ((0x1F1E6, 26), (0x1F150, 26), (0x1F170, 26), (0x1F130, 26)):  # regional and squared letters
    _TABLE.update({_first + number: chr(ord("A") + number) for number in range(_count)})
CONFUSABLE_LETTERS: dict[int, str] = _TABLE

# Alike within the basic letters, in most fonts: 1, I and l; 0 and O; rn and m; vv and w. Applied after case folding.
_BASIC = str.maketrans({"1": "l", "i": "l", "0": "o"})
_BASIC_IMITATION = re.compile(r"[^\W\d_][01]|[01][^\W\d_]|[a-z]I|vv|rn", re.ASCII)


def may_imitate(text: str) -> bool:
    """Whether a text has letters that may be meant to look like others."""
    if not text.isascii() and any(ord(character) in CONFUSABLE_LETTERS for character in text):
        return True
    return _BASIC_IMITATION.search(text) is not None


def merge_lookalikes(folded: str) -> str:
    """The last step of a skeleton, for a folded text whose letters of other scripts are replaced."""
    return folded.translate(_BASIC).replace("rn", "m").replace("vv", "w")
