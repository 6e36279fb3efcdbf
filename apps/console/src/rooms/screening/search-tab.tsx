// Searches the lists for a name and explains each hit.
import type { ListView, NameSearch, NameSearchView } from '@limen/server/console/screening';
import { useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../../keyboard.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Problem, useAction } from '../../ui/parts.tsx';
import { Against } from './against.tsx';
import { MatchCard } from './match-card.tsx';

const T = TEXTS.screening.search;

export function SearchTab({ lists }: { lists: readonly ListView[] | undefined }) {
  const [found, setFound] = useState<NameSearchView>();
  const [isBusy, problem, run] = useAction();
  const name = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => name.current?.focus() });
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const order = readSearch(new FormData(event.currentTarget as HTMLFormElement));
    run(async () => {
      setFound(undefined);
      setFound(await screeningApi.search(order));
    });
  };
  return (
    <>
      <p class="quiet">{T.lead}</p>
      <search>
        <form class="filters" onSubmit={search}>
          <label class="wide">
            {T.name}
            <input ref={name} type="search" name="name" maxLength={500} autocomplete="off" spellcheck={false} />
          </label>
          <label>
            {T.schema}
            <select name="schema">
              <option value="">{T.anything}</option>
              {Object.entries(T.schemas).map(([schema, text]) => (
                <option key={schema} value={schema}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <Field name="birthDate" label={T.birthDate} hint={T.birthHint} maxLength={10} />
          <Field name="country" label={T.country} hint={T.countryHint} maxLength={500} />
          <Field name="identifier" label={T.identifier} hint={T.identifierHint} maxLength={500} />
          <Against lists={lists} />
          <button type="submit" class="primary" disabled={isBusy}>
            {T.button}
          </button>
        </form>
      </search>
      {problem && <Problem error={problem} />}
      <div aria-live="polite">{found && <Found found={found} />}</div>
    </>
  );
}

function Field({ name, label, hint, maxLength }: { name: string; label: string; hint: string; maxLength: number }) {
  return (
    <label>
      {label}
      <input name={name} placeholder={hint} maxLength={maxLength} autocomplete="off" spellcheck={false} />
    </label>
  );
}

function Found({ found: { result, dataset, datasetVersion, warning } }: { found: NameSearchView }) {
  const warnings = [...(warning === null ? [] : [warning]), ...(result.warnings ?? [])];
  return (
    <>
      <h2 class="found">{T.found(result.matches.length)}</h2>
      {result.matches.length === 0 && result.score > 0 && <p>{T.below(result.score)}</p>}
      {warnings.map((text) => (
        <p key={text} class="notice">
          {text}
        </p>
      ))}
      {result.matches.map((match) => (
        <MatchCard key={match.id} match={match} />
      ))}
      <p class="quiet small-text">{T.against(dataset, datasetVersion)}</p>
    </>
  );
}

function readSearch(form: FormData): NameSearch {
  const query: Record<string, string | number> = {};
  for (const [name, value] of form) {
    const text = String(value).trim();
    if (text !== '') query[name] = name === 'scoreThreshold' ? Number(text) : text;
  }
  return query;
}
