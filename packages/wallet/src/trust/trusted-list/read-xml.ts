// Reads an XML document into a tree that has exactly what canonical XML would write: no comments, no document type.
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { AnchorError } from '../anchors.ts';

export interface XmlElement {
  prefix: string;
  local: string;
  /** Of the namespace; empty where it has none. */
  uri: string;
  /** Without declarations of namespaces. */
  attributes: readonly XmlAttribute[];
  children: readonly (XmlElement | string)[];
}

export interface XmlAttribute {
  prefix: string;
  local: string;
  uri: string;
  value: string;
}

/** The largest lists of states have some 10 MB. */
const MAX_BYTES = 33_554_432;
const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 64;
/** A large list takes a second to read, which nobody else should have to wait for. */
const PIECE_CHARS = 65_536;

/** Throws `AnchorError` where it is not well-formed, or has what a list has no use for. */
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
    const kept = own.map((one) => ({ prefix: one.prefix, local: one.local, uri: one.uri, value: one.value }));
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

/** The elements that a path of names leads to, all of one namespace. */
export function findByPath(from: XmlElement, uri: string, ...names: readonly string[]): XmlElement[] {
  return names.reduce(
    (found, name) =>
      found.flatMap(({ children }) =>
        children.filter(isElement).filter((one) => one.uri === uri && one.local === name),
      ),
    [from],
  );
}

/** Undefined unless the path leads to exactly one. */
export function findOne(from: XmlElement, uri: string, ...names: readonly string[]): XmlElement | undefined {
  const found = findByPath(from, uri, ...names);
  return found.length === 1 ? found[0] : undefined;
}

/** Of an element that has nothing but text; empty for any other. */
export function textOf(element: XmlElement | undefined): string {
  const children = element?.children ?? [];
  return children.some(isElement) ? '' : children.join('').trim();
}

export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  return element?.attributes.find(({ uri, local }) => uri === '' && local === name)?.value;
}
