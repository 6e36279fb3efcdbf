// Parses server-sent events from a reply's body (HTML Standard, 9.2.6), with bounded memory.

export interface ServerEvent {
  name: string;
  data: string;
}

/** Maximum size of an event. The service's events are far smaller. */
const MAX_EVENT_CHARACTERS = 65_536;

/** Ends with the stream and drops an incomplete event. Comments are ignored. */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let pending = '';
  let name = '';
  let data: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    // A trailing carriage return may be half of a line ending.
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop() ?? '';
    for (const line of lines) {
      size += line.length;
      requireSize(size);
      if (line === '') {
        if (data.length > 0) yield { name: name || 'message', data: data.join('\n') };
        name = '';
        data = [];
        size = 0;
      } else if (line.startsWith('event:')) {
        name = fieldOf(line);
      } else if (line.startsWith('data:')) {
        data.push(fieldOf(line));
      }
    }
    requireSize(pending.length + size);
  }
}

function requireSize(characters: number): void {
  if (characters > MAX_EVENT_CHARACTERS) throw new RangeError('An event of the stream is too long.');
}

/** Strips the field name and one optional space. */
function fieldOf(line: string): string {
  return line.slice(line.indexOf(':') + 1).replace(/^ /, '');
}
