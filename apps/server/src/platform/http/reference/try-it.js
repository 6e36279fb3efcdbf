// On the reference page: sends what a form says and shows the reply. It stores nothing, and talks to its own service alone.

const credentials = document.querySelector('#credentials');
/** Characters; more is shown as it came. */
const LONGEST_LAID_OUT = 1_000_000;

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form !== credentials) void send(form);
  });
}

async function send(form) {
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  button.disabled = true;
  show(output, 'Sending …');
  try {
    const { address, options } = readCall(form);
    const reply = await fetch(address, options);
    show(output, describeReply(reply), await readBody(reply).catch(() => 'The rest of the reply did not arrive.'));
  } catch (error) {
    show(output, `Nothing was answered: ${error.message}`);
  } finally {
    button.disabled = false;
  }
}

function readCall(form) {
  const query = new URLSearchParams();
  const headers = readCredentials(form.dataset.credentials);
  let path = form.dataset.path;
  let body;
  for (const [field, value] of new FormData(form)) {
    const [place, name] = splitOnce(field);
    if (place === 'file') {
      body ??= new FormData();
      body.append(name, value);
    } else if (place === 'body') {
      body = value;
      headers.set('content-type', 'application/json');
    } else if (value !== '') {
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'query') query.set(name, value);
      else headers.set(name, value);
    }
  }
  const address = query.size === 0 ? path : `${path}?${query}`;
  return { address, options: { method: form.dataset.method, headers, body, credentials: 'omit', cache: 'no-store' } };
}

function readCredentials(kind) {
  const { key, client, secret, bearer } = Object.fromEntries(new FormData(credentials));
  const headers = new Headers();
  if (key) headers.set('x-api-key', key);
  if (kind === 'client' && client) headers.set('authorization', `Basic ${toBase64(`${client}:${secret}`)}`);
  if (kind === 'bearer' && bearer) headers.set('authorization', `Bearer ${bearer}`);
  return headers;
}

function toBase64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function splitOnce(field) {
  const at = field.indexOf(':');
  return at < 0 ? [field, ''] : [field.slice(0, at), field.slice(at + 1)];
}

function describeReply(reply) {
  const named = ['x-error-code', 'x-request-id', 'retry-after'].flatMap((name) => {
    const value = reply.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [`${reply.status} ${reply.statusText}`.trim(), ...named].join('\n');
}

/** JSON laid out, by its own text: a number that JavaScript would round stays as it was sent. */
async function readBody(reply) {
  const text = await reply.text();
  const isShortJson = reply.headers.get('content-type')?.includes('json') && text.length < LONGEST_LAID_OUT;
  return isShortJson && isWhole(text) ? layOut(text) : text;
}

function isWhole(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function layOut(text) {
  let depth = 0;
  // A string, an empty bracket pair, or a single mark.
  return text.replace(/"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{[]|[}\]]|,|:|\s+/g, (part) => {
    if (part.trim() === '') return '';
    if (part === '{' || part === '[') return `${part}\n${'  '.repeat(++depth)}`;
    if (part === '}' || part === ']') return `\n${'  '.repeat(--depth)}${part}`;
    if (part === ',') return `,\n${'  '.repeat(depth)}`;
    return part === ':' ? ': ' : part;
  });
}

function show(output, status, body = '') {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = body === '' ? status : `${status}\n\n${body}`;
  output.replaceChildren(pre);
}
