// Cuts an XML file into records and parses each separately, so that a malformed one does not end
// the load.
import { SaxesParser } from 'saxes';
import { type LoadReport, MAX_RECORD_BYTES, noteProblem, watchEnd } from './load-report.ts';
import { type Chunks, readBlocks } from './read-blocks.ts';

/** The root must end within these last bytes. Only space or comments may follow. */
const TAIL_BYTES = 4 * 1024;

/** `readTag` receives the opening tag. */
export function watchRoot(main: Chunks, root: string, report: LoadReport, readTag: (tag: string) => void) {
  const source = watchEnd(main, TAIL_BYTES);
  const end = new RegExp(`</${root}\\s*>`);
  let hasRoot = false;
  return {
    chunks: source.chunks,
    /** For readXmlRecords. */
    readHead(head: string): void {
      const tag = new RegExp(`<${root}\\b[^>]*>`).exec(head)?.[0];
      if (tag === undefined) noteProblem(report, 'header', `The file does not start with a ${root} element.`);
      else readTag(tag);
      hasRoot = tag !== undefined;
    },
    /** Must be called after the last record. */
    finish(): void {
      if (hasRoot && !end.test(source.tail().toString('latin1'))) report.truncated = true;
    },
  };
}

export interface XmlRecord {
  line: number;
  /** Empty for a broken record, which has a reason. */
  xml: string;
  reason?: string;
}

/** Maximum length of a tag. */
const MAX_TAG_LENGTH = 1_000;
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_DEPTH = 50;

/**
 * Records are the elements with these names. They do not nest. `onHead` receives up to 64 KB of the
 * text before the first one.
 */
export async function* readXmlRecords(
  chunks: Chunks,
  report: LoadReport,
  names: string[],
  onHead: (head: string) => void,
  maxBytes = MAX_RECORD_BYTES,
): AsyncGenerator<XmlRecord[]> {
  const tag = new RegExp(`<(/?)(${names.join('|')})(?=[\\s/>])[^<>]{0,${MAX_TAG_LENGTH}}>`, 'g');
  // One character per byte, so positions are byte offsets and no character is cut. Starts with the
  // open record, if any.
  let text = '';
  let line = 1;
  let scanned = 0;
  let openName: string | undefined;
  let headSeen = false;
  const takeHead = (end: number) => {
    if (!headSeen) onHead(decode(text.slice(0, Math.min(end, MAX_HEAD_BYTES))));
    headSeen = true;
  };
  const forget = (end: number) => {
    line += countLines(text, end);
    text = text.slice(end);
    scanned = Math.max(0, scanned - end);
  };
  for await (const block of readBlocks(chunks, report)) {
    text += block.toString('latin1');
    const records: XmlRecord[] = [];
    for (let match = execFrom(tag, text, scanned); match !== null; match = execFrom(tag, text, scanned)) {
      scanned = match.index + match[0].length;
      if (match[1] === '') {
        if (openName !== undefined) records.push({ line, xml: '', reason: 'The record is not closed.' });
        takeHead(match.index);
        forget(match.index);
        openName = match[0].endsWith('/>') ? undefined : match[2];
      } else {
        if (openName === match[2]) records.push(takeRecord(text.slice(0, scanned), line, maxBytes));
        else if (openName !== undefined) records.push({ line, xml: '', reason: 'The record is not closed.' });
        openName = undefined;
        forget(scanned);
      }
    }
    // A tag may be cut by the end of the block.
    scanned = Math.max(scanned, text.length - MAX_TAG_LENGTH - 100);
    if (text.length >= MAX_HEAD_BYTES) takeHead(text.length);
    if (openName !== undefined && text.length > maxBytes) {
      records.push(takeRecord(text, line, maxBytes));
      openName = undefined;
    }
    if (openName === undefined && headSeen) forget(scanned);
    if (records.length > 0) yield records;
  }
  takeHead(text.length);
  if (openName !== undefined) yield [{ line, xml: '', reason: 'The file ends inside the record.' }];
}

function execFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

function takeRecord(bytes: string, line: number, maxBytes: number): XmlRecord {
  return bytes.length > maxBytes ? { line, xml: '', reason: 'The record is too long.' } : { line, xml: decode(bytes) };
}

function decode(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

export interface XmlNode {
  name: string;
  text: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlNode[];
}

/** Returns null if the XML is not well-formed. */
export function parseXmlRecord(xml: string): XmlNode | null {
  const top: XmlNode = { name: '', text: '', attributes: {}, children: [] };
  const path = [top];
  // Without an error handler, the parser throws at the first error.
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    if (path.length > MAX_DEPTH) throw new Error('The record is nested too deeply.');
    const node: XmlNode = { name, text: '', attributes: attributes as Record<string, string>, children: [] };
    path.at(-1)!.children.push(node);
    path.push(node);
  });
  const addText = (text: string) => {
    path.at(-1)!.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => path.pop());
  try {
    parser.write(xml).close();
    return top.children[0] ?? null;
  } catch {
    return null;
  }
}

export function findChildren(node: XmlNode, name: string): XmlNode[] {
  return node.children.filter((child) => child.name === name);
}

export function readChildText(node: XmlNode, name: string): string {
  return node.children.find((child) => child.name === name)?.text.trim() ?? '';
}
