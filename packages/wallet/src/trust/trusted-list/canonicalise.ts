// Exclusive canonical XML 1.0 without comments (W3C, 18 July 2002) of an element with its content.
import { isElement, type XmlAttribute, type XmlElement } from './read-xml.ts';

/** Prefixes and namespaces in scope of the output. */
type Written = ReadonlyMap<string, string>;

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const IN_VALUE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

export function canonicalize(element: XmlElement): string {
  const pieces: string[] = [];
  write(element, new Map([['', '']]), pieces);
  return pieces.join('');
}

function write(element: XmlElement, above: Written, pieces: string[]): void {
  const name = nameOf(element);
  const declared = findDeclared(element, above);
  pieces.push('<', name);
  for (const [prefix, uri] of declared) {
    pieces.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, escapeValue(uri), '"');
  }
  for (const attribute of element.attributes.toSorted(compareAttributes)) {
    pieces.push(' ', nameOf(attribute), '="', escapeValue(attribute.value), '"');
  }
  pieces.push('>');
  const written = declared.length === 0 ? above : new Map([...above, ...declared]);
  for (const child of element.children) {
    if (isElement(child)) write(child, written, pieces);
    else pieces.push(child.replaceAll(/[&<>\r]/g, (character) => IN_TEXT[character] ?? character));
  }
  pieces.push('</', name, '>');
}

/** Namespaces used by the names of the element and its attributes, unless already in scope. */
function findDeclared(element: XmlElement, above: Written): [prefix: string, uri: string][] {
  const used = new Map([[element.prefix, element.uri]]);
  // An attribute without a prefix has no namespace, not even the default one.
  for (const { prefix, uri } of element.attributes) if (prefix !== '') used.set(prefix, uri);
  // The one predefined prefix.
  used.delete('xml');
  return [...used].filter(([prefix, uri]) => above.get(prefix) !== uri).sort(([a], [b]) => compare(a, b));
}

function compareAttributes(a: XmlAttribute, b: XmlAttribute): number {
  return compare(a.uri, b.uri) || compare(a.local, b.local);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function nameOf({ prefix, local }: { prefix: string; local: string }): string {
  return prefix === '' ? local : `${prefix}:${local}`;
}

function escapeValue(text: string): string {
  return text.replaceAll(/[&<"\t\n\r]/g, (character) => IN_VALUE[character] ?? character);
}
