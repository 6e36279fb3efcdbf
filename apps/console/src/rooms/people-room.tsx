// People and privacy: export or delete a person's data with a receipt, and list retention times.
import type { Permission } from '@limen/server/console';
import type { PersonView } from '@limen/server/console/sessions';
import { useRef, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useShortcuts } from '../keyboard.ts';
import { usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { DownloadButton, saveFile } from '../ui/download.tsx';
import { Facts } from '../ui/lists.tsx';
import {
  Badge,
  Code,
  Confirm,
  CopyButton,
  Dialog,
  Problem,
  Time,
  useAction,
  WorkButton,
  WorldBadge,
} from '../ui/parts.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.people;

export function PeopleRoom({ permissions }: { permissions: readonly Permission[] }) {
  const heading = useHeading(T.heading);
  const field = useRef<HTMLInputElement>(null);
  const [person, setPerson] = useState<PersonView>();
  const [isDeleting, setDeleting] = useState(false);
  const [receipt, setReceipt] = useState<string>();
  const [isBusy, problem, run] = useAction();
  useShortcuts({ '/': () => field.current?.focus() });
  const find = (event: Event) => {
    event.preventDefault();
    run(async () => {
      setPerson(undefined);
      setPerson(await api.findPerson(field.current?.value ?? ''));
    });
  };
  const handOver = async (puid: string) => {
    saveFile(`person-${puid}.json`, 'application/json', JSON.stringify(await api.exportPerson(puid), null, 2));
  };
  const remove = async ({ puid }: PersonView) => {
    const answer = await usePasskey(await api.ask('person.delete', puid));
    setReceipt((await api.deletePerson(puid, answer)).receipt);
    setDeleting(false);
    setPerson(undefined);
  };

  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p class="quiet lead">{T.lead}</p>
      <search>
        <form class="filters" onSubmit={find}>
          <label class="wide">
            {T.puid}
            <input
              ref={field}
              type="search"
              name="puid"
              required
              maxLength={100}
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <button type="submit" class="primary" disabled={isBusy}>
            {T.find}
          </button>
        </form>
      </search>
      {problem && <Problem error={problem} />}
      <div class="columns">
        <div aria-live="polite">
          {person && (
            <section>
              <h2>{T.kept}</h2>
              <p>
                <Code class="id">{person.puid}</Code> <WorldBadge world={person.world} />{' '}
                {person.isProvisional && <Badge tone="quiet">{T.provisional}</Badge>}
              </p>
              <Facts facts={listFacts(person)} />
              <p class="quiet small-text">{T.never}</p>
              <p class="row">
                {permissions.includes('people.export') && (
                  <WorkButton class="small" work={() => handOver(person.puid)}>
                    {T.export}
                  </WorkButton>
                )}
                {permissions.includes('people.delete') && (
                  <button type="button" class="small danger" onClick={() => setDeleting(true)}>
                    {T.delete}
                  </button>
                )}
              </p>
            </section>
          )}
        </div>
        <div>
          <Retention />
        </div>
      </div>
      {isDeleting && person && (
        <Confirm
          heading={T.deleteHeading}
          text={T.deleteText}
          button={T.deleteButton}
          work={() => remove(person)}
          onClose={() => setDeleting(false)}
        />
      )}
      {receipt !== undefined && <Receipt receipt={receipt} onClose={() => setReceipt(undefined)} />}
    </>
  );
}

function listFacts(person: PersonView): [string, preact.ComponentChildren][] {
  const { fields } = T;
  return [
    [fields.customer, <bdi>{person.customer}</bdi>],
    [fields.created, <Time at={person.createdAt} />],
    [fields.model, person.modelVersion],
    [fields.embeddings, person.embeddings],
    [fields.tokens, person.tokens],
    [fields.passkeys, person.passkeys],
    [fields.devices, person.devices],
    [fields.sessions, person.sessions],
    [fields.identifier, person.hasIdentifier ? T.identifier.yes : T.identifier.no],
    [fields.used, person.lastUsedAt === null ? TEXTS.none : <Time at={person.lastUsedAt} />],
  ];
}

function Receipt({ receipt, onClose }: { receipt: string; onClose: () => void }) {
  return (
    <Dialog heading={T.deleted} onClose={onClose} stays>
      <p>{T.receiptText}</p>
      <dl class="secrets">
        <div>
          <dt>{T.receipt}</dt>
          <dd>
            <Code>{receipt}</Code>
          </dd>
        </div>
      </dl>
      <div class="row end">
        <CopyButton text={receipt} />
        <DownloadButton name="deletion-receipt.jwt" type="application/jwt" text={receipt} label={T.download} />
        <button type="button" class="primary" onClick={onClose}>
          {T.done}
        </button>
      </div>
    </Dialog>
  );
}

function Retention() {
  const { value: settings, problem, reload } = useLoad('retention', api.retention);
  return (
    <section>
      <h2>{T.retention}</h2>
      <p class="quiet">{T.retentionHint}</p>
      {problem && <Problem error={problem} retry={reload} />}
      <ul class="plain-list">
        {settings?.map(({ name, value, unit, isDefault, description }) => (
          <li key={name}>
            <p>
              <strong>
                {value} {T.units[unit]}
              </strong>{' '}
              <Code>{name}</Code> {isDefault && <span class="quiet small-text">{T.standard}</span>}
            </p>
            <p class="quiet small-text">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
