// The part of PostgreSQL's wire protocol that a bridge needs: message boundaries and batches.

const PROTOCOL_3 = 196_608;
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const REFUSED = Buffer.from('N');
/** The server answers Query, Sync and FunctionCall with ReadyForQuery. */
const ENDS_A_BATCH = new Set(['Q', 'S', 'F'].map((letter) => letter.charCodeAt(0)));
const TERMINATE = 'X'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const ERROR = 'E'.charCodeAt(0);

export interface ClientEvents {
  /** Receives the settings in the startup packet. */
  onStart(settings: Map<string, string>): void;
  /** Receives the messages of a batch, up to the one that asks for a reply. */
  onBatch(messages: Buffer): void;
  onEnd(): void;
  reply(bytes: Buffer): void;
}

/** Returns a function that takes network chunks and reports complete messages. */
export function createMessageReader(events: ClientEvents): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let started = false;
  let batch: Buffer[] = [];

  function take(length: number): Buffer {
    const taken = unread.subarray(0, length);
    unread = unread.subarray(length);
    return taken;
  }

  function readStartup(): boolean {
    if (unread.length < 8 || unread.length < unread.readInt32BE(0)) return false;
    const packet = take(unread.readInt32BE(0));
    const code = packet.readInt32BE(4);
    if (code === PROTOCOL_3) {
      started = true;
      events.onStart(readSettings(packet.subarray(8)));
    } else if (code === SSL_REQUEST || code === GSS_REQUEST) events.reply(REFUSED);
    else events.onEnd();
    return true;
  }

  function readMessage(): boolean {
    if (unread.length < 5 || unread.length < 1 + unread.readInt32BE(1)) return false;
    const message = take(1 + unread.readInt32BE(1));
    const type = message[0]!;
    if (type === TERMINATE) {
      events.onEnd();
      return true;
    }
    batch.push(message);
    if (ENDS_A_BATCH.has(type)) {
      events.onBatch(Buffer.concat(batch));
      batch = [];
    }
    return true;
  }

  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    while (started ? readMessage() : readStartup());
  };
}

/**
 * Reads the settings of the startup packet, `options` (`-c name=value`) included, without user and
 * database.
 */
function readSettings(parameters: Buffer): Map<string, string> {
  const words = parameters.toString().split('\0');
  const settings = new Map<string, string>();
  for (let index = 0; words[index]; index += 2) settings.set(words[index]!, words[index + 1]!);
  for (const [, name, value] of (settings.get('options') ?? '').matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|\S)*)/g)) {
    settings.set(name!, value!.replaceAll(/\\(.)/g, '$1'));
  }
  for (const name of ['user', 'database', 'options', 'replication']) settings.delete(name);
  return settings;
}

export interface AnswerEnd {
  /** State in ReadyForQuery; undefined if there was none */
  inTransaction: boolean | undefined;
  failed: boolean;
}

export function readAnswerEnd(answer: Buffer): AnswerEnd {
  const end: AnswerEnd = { inTransaction: undefined, failed: false };
  for (let at = 0; at + 5 <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] === ERROR) end.failed = true;
    if (answer[at] === READY_FOR_QUERY) end.inTransaction = answer[at + 5] !== 'I'.charCodeAt(0);
  }
  return end;
}

export function queryMessage(statement: string): Buffer {
  const text = Buffer.from(`${statement}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}

export function startupMessage(): Buffer {
  const text = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, text]);
}
