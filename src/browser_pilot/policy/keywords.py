"""Keywords on buttons, links and fields that show what they do, by category, in ten languages. Data only.

Written in their usual spelling; ``text_matching.fold`` removes case, accents and punctuation on both sides.
``anywhere`` matches as whole words within a label, ``whole_label`` only the complete label ("Order", but not "Sort
order"). Chinese and Japanese do not separate words, so ``unspaced`` matches inside a label. ``HARMLESS_PHRASES`` are
removed before matching. The first matching category wins, so a category comes before those whose keywords it contains.
The lines of ``anywhere`` are English, German, French, Spanish, Portuguese, Italian, Dutch, Polish; ``unspaced`` is
Chinese and Japanese.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

ActionCategory = Literal[
    "pay",
    "buy",
    "transfer",
    "delete",
    "change_password",
    "permissions",
    "remove",
    "send",
    "publish",
    "post",
    "sign_out",
    "sign_in",
]
FieldCategory = Literal["card", "password", "one_time_code"]


class Keywords(NamedTuple):
    anywhere: tuple[str, ...]
    whole_label: str = ""
    unspaced: str = ""


HARMLESS_PHRASES = "purchase history|purchase order|purchase orders|pay attention|pay gap|pay per view|delete key"

ACTION_KEYWORDS: dict[ActionCategory, Keywords] = {
    "pay": Keywords(
        (
            "pay|make payment|make a payment|submit payment|confirm payment|complete payment|checkout|check out|donate"
            "|place bid|apple pay|google pay|paypal",
            "bezahlen|zahlen|zahlung bestätigen|zahlung ausführen|zahlungspflichtig|zur kasse|zur kasse gehen|spenden",
            "payer|régler maintenant|effectuer le paiement|confirmer le paiement|procéder au paiement"
            "|passer à la caisse|faire un don",
            "pagar|realizar pago|confirmar pago|finalizar pago|tramitar pedido|donar",
            "efetuar pagamento|confirmar pagamento|finalizar pagamento|fechar conta|doar",
            "paga|paga ora|pagare|conferma pagamento|effettua pagamento|vai alla cassa|dona",
            "betalen|betaling bevestigen|afrekenen|doneren",
            "zapłać|zapłacić|płacę|potwierdź płatność",
        ),
        unspaced="支付|付款|缴费|繳費|结账|結帳|去结算|结算|支払う|支払い|決済する|決済|会計|寄付する",
    ),
    "buy": Keywords(
        (
            "buy|purchase|place order|place your order|place my order|order now|submit order|confirm order"
            "|complete order"
            "|order and pay|confirm booking|book now|book and pay|reserve and pay|start paid plan|upgrade now",
            "kaufen|bestellen|bestellung abschicken|bestellung aufgeben|kauf abschließen|kostenpflichtig|jetzt buchen"
            "|verbindlich buchen|ersteigern|mitbieten",
            "acheter|commander|passer commande|passer la commande|valider la commande|confirmer la commande"
            "|réserver maintenant",
            "comprar|realizar pedido|hacer pedido|confirmar pedido|finalizar compra|pedir ahora|reservar ahora",
            "fazer pedido|finalizar pedido|fechar pedido|concluir compra|comprar agora|reservar agora|encomendar",
            "acquista|acquistare|compra ora|ordina|effettua ordine|invia ordine|conferma ordine|prenota ora",
            "kopen|koop nu|bestellen|bestelling plaatsen|nu boeken",
            "kup|kupuję|kup teraz|zamawiam|złóż zamówienie",
        ),
        whole_label="order|book|compra",
        unspaced="购买|購買|下单|下單|提交订单|提交訂單|确认订单|確認訂單|订购|訂購|立即预订|購入|買う|注文する|注文を確定|注文確定|予約を確定|レジに進む",
    ),
    "transfer": Keywords(
        (
            "transfer money|transfer funds|send money|transfer now|confirm transfer|make transfer"
            "|make a transfer|withdraw"
            "|transfer ownership|wire transfer",
            "überweisen|ueberweisen|überweisung ausführen|überweisung senden|geld senden|auszahlen",
            "virer|effectuer le virement|faire un virement|envoyer de l'argent|confirmer le virement|retirer des fonds",
            "transferir|hacer transferencia|enviar dinero|confirmar transferencia|retirar fondos",
            "fazer transferência|enviar dinheiro|confirmar transferência|fazer pix|enviar pix",
            "trasferisci|bonifico|esegui bonifico|invia denaro|preleva",
            "overmaken|geld overmaken|geld sturen",
            "przelej|wykonaj przelew|wyślij pieniądze",
        ),
        whole_label="transfer|überweisung|virement",
        unspaced="转账|轉帳|轉賬|汇款|匯款|提现|提現|振込|振り込む|送金|出金する",
    ),
    "delete": Keywords(
        (
            "delete|erase|wipe|destroy|purge|close account|close my account|close your account|deactivate account"
            "|cancel account|empty trash|factory reset|drop database|drop table|delete permanently",
            "löschen|loeschen|konto schließen|konto auflösen|papierkorb leeren|vernichten",
            "supprimer|effacer|fermer le compte|fermer mon compte|vider la corbeille|détruire",
            "eliminar|borrar|cerrar cuenta|cerrar mi cuenta|vaciar papelera|suprimir",
            "excluir|apagar|deletar|encerrar conta|esvaziar lixeira",
            "elimina|eliminare|cancella|cancellare|chiudi account|svuota cestino",
            "verwijderen|verwijder|wissen|account sluiten|account opheffen|prullenbak legen",
            "usuń|usunąć|skasuj|zamknij konto",
        ),
        unspaced="删除|刪除|删掉|清空|注销账户|注销账号|註銷帳號|削除|消去|退会|アカウントを閉鎖",
    ),
    "change_password": Keywords(
        (
            "change password|reset password|update password|set password|save password|change your password"
            "|change pin|change email|disable two factor|turn off two factor|disable 2fa|recovery codes"
            "|add security key",
            "passwort ändern|kennwort ändern|passwort zurücksetzen|kennwort zurücksetzen|passwort speichern|pin ändern",
            "changer le mot de passe|modifier le mot de passe|réinitialiser le mot de passe|changer de mot de passe",
            "cambiar contraseña|cambiar la contraseña|restablecer contraseña|restablecer la contraseña",
            "alterar senha|mudar senha|redefinir senha|alterar palavra passe|trocar senha",
            "cambia password|modifica password|reimposta password",
            "wachtwoord wijzigen|wachtwoord opnieuw instellen",
            "zmień hasło|zresetuj hasło",
        ),
        unspaced="修改密码|更改密码|重置密码|修改密碼|變更密碼|重設密碼|パスワードを変更|パスワード変更|パスワードの変更|パスワードをリセット|パスワード再設定",
    ),
    "permissions": Keywords(
        (
            "authorize|authorise|grant access|grant permission|allow access|give access|change permissions"
            "|edit permissions|manage access|make admin|make owner|approve access|share access|add collaborator",
            "zugriff erlauben|zugriff gewähren|zugriff zulassen|autorisieren|berechtigung erteilen"
            "|berechtigungen ändern",
            "autoriser|accorder l'accès|donner accès|modifier les autorisations|modifier les droits",
            "autorizar|conceder acceso|permitir acceso|dar acceso|cambiar permisos",
            "conceder acesso|permitir acesso|dar acesso|alterar permissões",
            "autorizza|concedi accesso|consenti accesso|modifica autorizzazioni",
            "toegang verlenen|toegang toestaan|autoriseren|machtigen",
            "autoryzuj|zezwól na dostęp|przyznaj dostęp",
        ),
        whole_label="allow|grant|erlauben|zulassen|permitir|consenti|toestaan|zezwól",
        unspaced="授权|授權|允许访问|允許存取|修改权限|アクセスを許可|許可する|権限を変更|権限を付与",
    ),
    "remove": Keywords(
        (
            "remove|uninstall|discard|revoke|unsubscribe|cancel subscription|cancel order|cancel booking|leave group"
            "|deactivate",
            "entfernen|deinstallieren|kündigen|abbestellen|verwerfen|stornieren|widerrufen",
            "retirer|enlever|désinstaller|résilier|se désabonner|annuler la commande|révoquer",
            "quitar|desinstalar|cancelar suscripción|cancelar pedido|darse de baja|revocar|descartar",
            "remover|cancelar assinatura|cancelar subscrição|revogar",
            "rimuovi|rimuovere|disinstalla|annulla abbonamento|annulla ordine|revoca",
            "bestelling annuleren|opzeggen|uitschrijven|intrekken|deïnstalleren",
            "odinstaluj|anuluj subskrypcję|wypisz się",
        ),
        unspaced="移除|卸载|解除安裝|取消订阅|取消訂閱|退订|取消订单|解約|取り外す|アンインストール|登録解除|配信停止|注文をキャンセル",
    ),
    "send": Keywords(
        (
            "send|submit application|send invite|invite|send message",
            "senden|absenden|abschicken|versenden|verschicken|einladen",
            "envoyer|expédier|inviter",
            "enviar|invitar|mandar",
            "convidar",
            "invia|inviare|spedisci|invita",
            "verzenden|versturen|verstuur|stuur|uitnodigen",
            "wyślij|zaproś",
        ),
        unspaced="发送|發送|傳送|寄出|邀请|邀請|送信|送る|招待",
    ),
    "publish": Keywords(
        (
            "publish|go live|deploy|merge pull request|confirm merge|make public|release now",
            "veröffentlichen|publizieren",
            "publier|mettre en ligne|rendre public",
            "publicar|hacer público",
            "tornar público",
            "pubblica|pubblicare",
            "publiceren|openbaar maken",
            "opublikuj|publikuj",
        ),
        whole_label="merge|release|freigeben",
        unspaced="发布|發布|發佈|刊登|公開する",
    ),
    "post": Keywords(
        (
            "post comment|post reply|post now|add comment|leave comment|leave a comment|submit review|submit comment"
            "|share now|tweet|retweet|repost|post to",
            "posten|kommentar absenden|bewertung abgeben|beitrag teilen",
            "poster|commenter|partager maintenant|laisser un avis",
            "comentar|compartir ahora|publicar comentario",
            "postar|partilhar agora|compartilhar agora",
            "posta|commenta|condividi ora",
            "plaatsen|reactie plaatsen|nu delen",
            "skomentuj|dodaj komentarz|udostępnij teraz",
        ),
        whole_label="post|share|comment|reply|teilen|kommentieren|antworten|partager|répondre|compartir|responder|compartilhar"
        "|condividi|rispondi|delen|reageren|udostępnij",
        unspaced="发帖|發文|发表|發表|评论|評論|回复|回覆|投稿する|投稿|コメントする|返信",
    ),
    "sign_out": Keywords(
        (
            "sign out|signout|log out|logout|log off|sign off",
            "abmelden|ausloggen",
            "se déconnecter|déconnexion",
            "cerrar sesión|salir",
            "terminar sessão|encerrar sessão|sair",
            "esci|disconnetti",
            "uitloggen|afmelden",
            "wyloguj|wyloguj się",
        ),
        unspaced="退出登录|登出|注销|註銷|ログアウト|サインアウト",
    ),
    "sign_in": Keywords(
        (
            "sign in|signin|log in|login|log on|sign up|signup|create account|create an account|create my account",
            "anmelden|einloggen|registrieren|konto erstellen|konto anlegen",
            "se connecter|connexion|s'identifier|s'inscrire|créer un compte",
            "iniciar sesión|entrar|registrarse|crear cuenta|crear una cuenta|inicia sesión",
            "iniciar sessão|fazer login|cadastrar|cadastre se|criar conta",
            "accedi|registrati|crea account|iscriviti",
            "inloggen|aanmelden|registreren|account aanmaken",
            "zaloguj|zaloguj się|zarejestruj się|załóż konto",
        ),
        whole_label="register",
        unspaced="登录|登錄|登入|注册|註冊|ログイン|サインイン|新規登録|会員登録",
    ),
}

FIELD_KEYWORDS: dict[FieldCategory, Keywords] = {
    "card": Keywords(
        (
            "card number|cardnumber|ccnumber|cc number|ccnum|cc num|cvv|cvc|cvv2|csc|credit card|card code|iban",
            "kartennummer|kreditkarte|kreditkartennummer|prüfziffer|kontonummer",
            "numéro de carte|carte bancaire|carte de crédit|cryptogramme",
            "número de tarjeta|tarjeta de crédito|código de seguridad de la tarjeta",
            "número do cartão|cartão de crédito",
            "numero della carta|numero carta|carta di credito",
            "kaartnummer|creditcard",
            "numer karty|karta kredytowa",
        ),
        unspaced="信用卡|卡号|卡號|カード番号|セキュリティコード",
    ),
    "password": Keywords(
        (
            "password|passwd|pwd|passphrase|passcode|pin code",
            "passwort|kennwort",
            "mot de passe",
            "contraseña|clave de acceso",
            "senha|palavra passe",
            "parola d'ordine",
            "wachtwoord",
            "hasło",
        ),
        whole_label="pin|pass|clave",
        unspaced="密码|密碼|パスワード|暗証番号",
    ),
    "one_time_code": Keywords(
        (
            "otp|totp|mfa code|2fa code|one time code|one time password|onetimecode|verification code"
            "|authentication code"
            "|confirmation code|sms code|auth code|security code",
            "einmalcode|einmalpasswort|bestätigungscode|sicherheitscode|mtan",
            "code de vérification|code à usage unique|code de sécurité",
            "código de verificación|código de un solo uso|código de seguridad",
            "código de verificação|código de confirmação|código de segurança",
            "codice di verifica|codice monouso",
            "verificatiecode|eenmalige code",
            "kod weryfikacyjny|kod jednorazowy",
        ),
        whole_label="tan",
        unspaced="验证码|驗證碼|动态码|認証コード|確認コード|ワンタイムパスワード",
    ),
}

# Complete path segments of a URL; sites use English ones in every language.
PATH_SEGMENTS: dict[ActionCategory, str] = {
    "pay": "pay|payment|payments|checkout|donate",
    "buy": "buy|purchase|place-order|order-confirm",
    "transfer": "transfer|transfers|withdraw",
    "delete": "delete|destroy|erase|close-account|delete-account",
    "change_password": "change-password|reset-password|password-reset|change-email",
    "permissions": "authorize|authorise|grant",
    "remove": "remove|unsubscribe|revoke|uninstall",
    "sign_in": "login|signin|sign-in|log-in|signup|sign-up|register",
    "sign_out": "logout|signout|sign-out|log-out|logoff",
}
