// Attributes CPU profile samples to parts of a server.
import type { CallFrame, CpuProfile, ProfileNode } from './cpu-profile.ts';

type Rule = [part: string, belongs: (frame: CallFrame) => boolean];

const inFile = (pattern: RegExp) => (frame: CallFrame) => pattern.test(frame.url);
/** Native and generated functions have no file. */
const unnamedFile = (pattern: RegExp) => (frame: CallFrame) => frame.url === '' && pattern.test(frame.functionName);

/** The first matching rule decides. A frame without a match belongs to its caller. */
const RULES: Rule[] = [
  ['idle', unnamedFile(/^\(idle\)$/)],
  ['garbage collection', unnamedFile(/^\(garbage collector\)$/)],
  ['event loop and HTTP parser (native)', unnamedFile(/^\((program|root)\)$/)],
  ['SQLite', unnamedFile(/^(all|get|run|exec)$/)],
  ['writing to the socket (kernel)', unnamedFile(/^(writeUtf8String|writeLatin1String|writeBuffer|writev)$/)],
  ['validation', unnamedFile(/^validate\d+$/)],
  ['validation', inFile(/\/node_modules\/ajv|\/fastify\/lib\/validation|strings\/rules\.ts/)],
  ['parsing the body', inFile(/secure-json-parse|json-body\.ts|content-type-parser|body-budget\.ts/)],
  ['serialization', unnamedFile(/^anonymous\d+$/)],
  ['serialization', inFile(/fast-json-stringify/)],
  ['metrics', inFile(/prom-client|metrics\.ts|request-histogram\.ts/)],
  ['logging', inFile(/\/node_modules\/(pino|sonic-boom|quick-format)|platform\/logging\.ts/)],
  ['Kysely and the database driver', inFile(/\/node_modules\/kysely|platform\/database\//)],
  ['Fastify: routing, hooks, replies', inFile(/\/node_modules\/(fastify|find-my-way|@fastify|fast-)/)],
  ['node:http, streams, timers', inFile(/^node:(_http|net|events|internal\/(stream|timers|process|async|js_stream))/)],
  ['own code (hooks, ids, route, record)', inFile(/apps\/server\/src|bare-strings-server/)],
];

export const PARTS = [...new Set(RULES.map(([part]) => part))].filter((part) => part !== 'idle');

/** Microseconds per part. */
export function timeByPart({ nodes, samples, timeDeltas }: CpuProfile): Map<string, number> {
  const partOfNode = assignParts(nodes);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = partOfNode.get(id)!;
    // A sample covers the time until the next one.
    if (part !== 'idle') times.set(part, (times.get(part) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return times;
}

function assignParts(nodes: ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (node: ProfileNode, callersPart: string) => {
    const part = RULES.find(([, belongs]) => belongs(node.callFrame))?.[0] ?? callersPart;
    parts.set(node.id, part);
    for (const child of node.children ?? []) visit(byId.get(child)!, part);
  };
  visit(nodes[0]!, 'event loop and HTTP parser (native)');
  return parts;
}
