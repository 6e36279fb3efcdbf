// On the reference pages: search, and forms that send calls to this service. Stores nothing.

const MAX_HITS = 12;

const search = document.querySelector('#search');
const input = search.querySelector('input');
const hits = search.querySelector('ul');
let entries;

search.hidden = false;
input.addEventListener('focus', () => {
  entries ??= loadEntries();
  entries.catch(() => (entries = undefined)); // The next focus tries again.
});
input.addEventListener('input', showHits);
input.addEventListener('blur', () => toggleHits(false));
input.addEventListener('keydown', (event) => {
  const options = [...hits.children];
  const selected = options.findIndex((option) => option.ariaSelected === 'true');
  if (event.key === 'ArrowDown') select(options[(selected + 1) % options.length]);
  else if (event.key === 'ArrowUp') select(options.at(selected < 1 ? -1 : selected - 1));
  else if (event.key === 'Enter' && !hits.hidden) options[selected]?.click();
  else if (event.key === 'Escape') toggleHits(false);
  else return;
  event.preventDefault();
});
// Keeps the focus in the input while an option is clicked.
hits.addEventListener('mousedown', (event) => event.preventDefault());
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, textarea')) return;
  event.preventDefault();
  input.focus();
});

/** Loads the blocks of all pages and adds an entry for each field and error code, such as `body.callback.url`. */
async function loadEntries() {
  const blocks = await (await fetch('/docs/search.json')).json();
  const anchors = blocks.flatMap(([title, , address, names]) =>
    names.map((name) => {
      const [place, ...rest] = name.split('.');
      return [rest.join('.'), `${place}, ${title}`, `${address}.${name}`];
    }),
  );
  return [...blocks, ...anchors];
}

async function showHits() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (await entries)
    .map((entry) => ({ entry, score: scoreEntry(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_HITS);
  hits.replaceChildren(...found.map(({ entry }, position) => createOption(entry, position)));
  if (found.length === 0)
    hits.append(createOption(['No results', 'Try the name of a field or an error code.', '#'], 0));
  select(hits.firstElementChild);
  toggleHits(words.length > 0);
}

/** Ranks an exact name first, then operations and sections, then fields and codes. */
function scoreEntry([title, detail, , anchors], words) {
  const name = title.toLowerCase();
  const text = `${name} ${detail.toLowerCase()}`;
  if (!words.every((word) => text.includes(word))) return 0;
  if (name === words.join(' ')) return 4;
  return anchors ? 3 : name.startsWith(words[0]) ? 2 : 1;
}

function createOption([title, detail, address], position) {
  const option = document.createElement('li');
  const name = document.createElement('code');
  name.textContent = title;
  option.append(name, ` ${detail}`);
  option.role = 'option';
  option.id = `hit-${position}`;
  option.addEventListener('click', () => {
    toggleHits(false);
    location.assign(address);
  });
  return option;
}

function select(selected) {
  for (const option of hits.children) option.ariaSelected = String(option === selected);
  input.setAttribute('aria-activedescendant', selected?.id ?? '');
  selected?.scrollIntoView({ block: 'nearest' });
}

function toggleHits(isOpen) {
  hits.hidden = !isOpen;
  input.ariaExpanded = String(isOpen);
}

addEventListener('hashchange', revealTarget);
revealTarget();

/** Opens the folds around the target. An anchor of the former single page leads to the operation. */
function revealTarget() {
  const target = document.getElementById(location.hash.slice(1));
  const operation = target?.matches('.index > li') && target.querySelector('a');
  if (operation) return location.replace(operation.href);
  for (let fold = target?.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  target?.scrollIntoView();
}

const sidebar = document.querySelector('nav');
const observer = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = sidebar.querySelector(`a[href="#${target.id}"]`);
      link.ariaCurrent = isIntersecting ? 'location' : null;
      if (isIntersecting) sidebar.scrollTop = link.offsetTop - sidebar.clientHeight / 2;
    }
  },
  { rootMargin: '-5% 0px -95%' },
);
for (const section of document.querySelectorAll('main > section')) observer.observe(section);

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
// A credential is typed once for all forms of the page.
document.addEventListener('input', ({ target }) => {
  if (!target.matches('.secret')) return;
  for (const field of document.querySelectorAll(`[name="${target.name}"]`)) field.value = target.value;
});

async function send(form) {
  const [button, output] = form.querySelectorAll('button, output');
  button.disabled = true;
  show(output, 'Sending …');
  try {
    const { address, options } = readCall(form);
    show(output, await describeReply(await fetch(address, options)));
  } catch (error) {
    show(output, `No complete reply: ${error.message}`);
  } finally {
    button.disabled = false;
  }
}

function readCall(form) {
  const query = new URLSearchParams();
  const headers = new Headers();
  const credentials = {};
  let path = form.dataset.path;
  let body;
  for (const [field, value] of new FormData(form)) {
    const [, place, name] = /^(\w+):(.*)$/.exec(field);
    if (place === 'file') {
      body ??= new FormData();
      body.append(name, value);
    } else if (place === 'body') {
      body = value;
      headers.set('content-type', form.dataset.type);
    } else if (value !== '') {
      if (place === 'credential') credentials[name] = value;
      else if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'query') query.set(name, value);
      else headers.set(name, value);
    }
  }
  const { key, client, secret = '', bearer } = credentials;
  if (key) headers.set('x-api-key', key);
  if (client) headers.set('authorization', `Basic ${btoa(`${client}:${secret}`)}`);
  if (bearer) headers.set('authorization', `Bearer ${bearer}`);
  const address = query.size === 0 ? path : `${path}?${query}`;
  return { address, options: { method: form.dataset.method, headers, body, credentials: 'omit', cache: 'no-store' } };
}

async function describeReply(reply) {
  const names = ['x-error-code', 'x-request-id', 'retry-after'].filter((name) => reply.headers.has(name));
  const headers = names.map((name) => `${name}: ${reply.headers.get(name)}`);
  return [`${reply.status} ${reply.statusText}`, ...headers, '', formatJson(await reply.text())].join('\n').trim();
}

/** Formats JSON but keeps the text of numbers, because JavaScript would round long ones. */
function formatJson(text) {
  const keepNumber = (_name, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value);
  try {
    return JSON.stringify(JSON.parse(text, keepNumber), null, 2);
  } catch {
    return text;
  }
}

function show(output, text) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text;
  output.replaceChildren(pre);
}
