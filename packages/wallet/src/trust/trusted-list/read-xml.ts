// Parses an XML document into the content that canonical XML would write, without comments and
// document types.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { AnchorError } from '../anchors.ts';

export interface XmlElement {
  prefix: string;
  local: string;
  /** Namespace URI. Empty if there is none. */
  uri: string;
  /** Without namespace declarations. */
  attributes: readonly XmlAttribute[];
  children: readonly (XmlElement | string)[];
}

export interface XmlAttribute {
  prefix: string;
  local: string;
  uri: string;
  value: string;
}

/** Maximum size. The largest national lists have about 10 MB. */
const MAX_BYTES = 33_554_432;
const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 64;
/** Parses in chunks, because a large list takes a second, which would block other requests. */
const PIECE_CHARS = 65_536;

/** Throws `AnchorError` if the document is not well-formed, or contains unnecessary features. */
export async function readXml(bytes: Uint8Array): Promise<XmlElement> {
  if (bytes.length > MAX_BYTES) throw new AnchorError('The list is too large.');
  const document: (XmlElement | string)[] = [];
  const path: (XmlElement | string)[][] = [document];
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true });
  const addText = (text: string) => void path.at(-1)?.push(text);
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0' || (encoding ?? 'utf-8').toLowerCase() !== 'utf-8') {
      throw new AnchorError('The list is not XML 1.0 in UTF-8.');
    }
  });
  parser.on('doctype', () => {
    throw new AnchorError('The list has a document type, which no trusted list has.');
  });
  parser.on('processinginstruction', () => {
    throw new AnchorError('The list has a processing instruction, which no trusted list has.');
  });
  parser.on('opentag', ({ prefix, local, uri, attributes }) => {
    elements += 1;
    if (elements > MAX_ELEMENTS || path.length > MAX_DEPTH) throw new AnchorError('The list is too large or too deep.');
    const children: (XmlElement | string)[] = [];
    const own = Object.values(attributes).filter(({ name }) => name !== 'xmlns' && !name.startsWith('xmlns:'));
    const kept = own.map((attribute) => ({
      prefix: attribute.prefix,
      local: attribute.local,
      uri: attribute.uri,
      value: attribute.value,
    }));
    path.at(-1)?.push({ prefix, local, uri, attributes: kept, children });
    path.push(children);
  });
  parser.on('closetag', () => void path.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      parser.write(text.slice(at, at + PIECE_CHARS));
      await letOthersRun();
    }
    parser.close();
  } catch (error) {
    throw error instanceof AnchorError ? error : new AnchorError('The list is not well-formed XML.');
  }
  const [root] = document.filter(isElement);
  if (!root) throw new AnchorError('The list is not well-formed XML.');
  return root;
}

export function isElement(node: XmlElement | string): node is XmlElement {
  return typeof node !== 'string';
}

/** Returns the elements at a path of names, all in one namespace. */
export function findByPath(from: XmlElement, uri: string, ...names: readonly string[]): XmlElement[] {
  return names.reduce(
    (found, name) =>
      found.flatMap(({ children }) =>
        children.filter(isElement).filter((child) => child.uri === uri && child.local === name),
      ),
    [from],
  );
}

/** Returns undefined unless the path leads to exactly one element. */
export function findOne(from: XmlElement, uri: string, ...names: readonly string[]): XmlElement | undefined {
  const found = findByPath(from, uri, ...names);
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the text of an element without child elements, otherwise an empty text. */
export function readElementText(element: XmlElement | undefined): string {
  const children = element?.children ?? [];
  return children.some(isElement) ? '' : children.join('').trim();
}

export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes.find(({ uri, local }) => uri === '' && local === name)?.value;
}
