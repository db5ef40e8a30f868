// Descriptions of elements that have no accessible name, derived from their markup.

import { normalizeText, truncate } from '../dom.js';
import { cellName } from './cell_name.js';

/** A name in parentheses: from its image, classes, link or colour, or the text around it. @param {Element} element */
export function fallbackName(element) {
  const image = element.matches('img, svg') ? element : element.querySelector('img, svg, use, i[class], span[class]');
  const hint =
    imageHint(image) || iconHint(element) || (image && iconHint(image)) || cellName(element) || element.getAttribute('data-testid')
    || element.getAttribute('name') || element.id || linkHint(element) || classHint(element);
  const colour = shapeAndColour(element);
  const text = hint || colour ? `${hint ?? ''} ${colour}` : nearbyText(element);
  return text ? `(${truncate(normalizeText(text), 40)})` : '';
}

const SHAPES = new Set(['rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'path']);
// Class names for layout, which do not say what an element is.
const LAYOUT_CLASSES = new Set(`active block body box btn button cell center clickable col container content control disabled first flex
  grid group hidden inline inner item last left link list main middle outer panel pointer right row selected text visible widget
  wrap wrapper`.split(/\s+/));

/** A class name that is one plain word, such as `star` or `like`. @param {Element} element */
function classHint(element) {
  const classes = [...element.classList];
  if (classes.length > 3) return '';
  return classes.find((name) => /^[a-z]{3,20}$/i.test(name) && !LAYOUT_CLASSES.has(name.toLowerCase())) ?? '';
}

/** The shape and colour of an SVG shape; the colour of an empty box. @param {Element} element */
function shapeAndColour(element) {
  if (element instanceof SVGElement) {
    if (!SHAPES.has(element.localName)) return '';
    const { fill, stroke } = getComputedStyle(element);
    return `${element.localName} ${hexColour(fill) || hexColour(stroke)}`;
  }
  if (element.childElementCount || !/background/.test(element.getAttribute('style') ?? '')) return '';
  return hexColour(getComputedStyle(element).backgroundColor);
}

/** A computed colour as #rrggbb; empty for a transparent one. @param {string} computed */
function hexColour(computed) {
  const opaque = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(computed);
  return opaque ? `#${opaque.slice(1).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}` : '';
}

/** @param {Element | null} image */
function imageHint(image) {
  if (!image) return '';
  const title = image.getAttribute('title') || image.querySelector('title')?.textContent;
  if (title) return title;
  const use = image.matches('use') ? image : image.querySelector('use');
  const address = image.getAttribute('src') || use?.getAttribute('href') || use?.getAttribute('xlink:href') || '';
  if (!address || address.startsWith('data:')) return '';
  const last = address.split(/[?#]/)[0].split('/').pop() || '';
  return address.includes('#') && use ? address.split('#').pop() ?? '' : last.replace(/\.\w+$/, '');
}

/** @param {Element} element */
function iconHint(element) {
  const classes = (element.getAttribute('class') ?? '').split(/\s+/);
  const icon = classes.find((name) => /^(fa|icon|bi|mdi|glyphicon|lucide|ti|ri|octicon|codicon|pi)-./.test(name) || /-icon$/.test(name));
  return icon ?? classes.find((name) => /close|menu|search|edit|delete|remove|trash|next|prev|play|cart|user|settings|toggle/i.test(name)) ?? '';
}

/** @param {Element} element */
function linkHint(element) {
  const address = element.getAttribute('href');
  if (!address || address.startsWith('javascript:') || address === '#') return '';
  return address.replace(/^https?:\/\//, '').replace(/[?].*$/, '').split('/').filter(Boolean).pop() ?? '';
}

/** @param {Element} element */
function nearbyText(element) {
  for (let node = element; node.parentElement && node.parentElement !== document.body; node = node.parentElement) {
    const text = normalizeText(node.parentElement.textContent ?? '');
    if (text && text.length < 60) return `near ${text}`;
    if (text) return '';
  }
  return '';
}
