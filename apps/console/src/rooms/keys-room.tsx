// API keys: create, label, revoke. The value of a key is shown once.
import type { CreatedKeyView, KeyView, NewKeyView, Permission } from '@limen/server/console';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { formatHour } from '../format.ts';
import { useShortcuts } from '../keyboard.ts';
import { usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { FormDialog, readField, TextField } from '../ui/form-dialog.tsx';
import { Badge, CloseRow, Code, Confirm, CopyButton, Dialog, Problem, Time, WorldBadge } from '../ui/parts.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.keys;

type KeyDialog =
  | { what: 'create' }
  | { what: 'created'; created: CreatedKeyView }
  | { what: 'rename' | 'origins' | 'revoke'; key: KeyView };

export function KeysRoom({ permissions }: { permissions: readonly Permission[] }) {
  const heading = useHeading(T.heading);
  const { value: keys, problem, reload } = useLoad('keys', api.keys);
  const [opened, setOpened] = useState<KeyDialog>();
  useShortcuts({ r: reload });
  const close = () => setOpened(undefined);
  const mayChange = (world: 'live' | 'test') => permissions.includes(`keys.write.${world}`);

  const finish = () => {
    close();
    reload();
  };
  const revoke = async ({ id }: KeyView) => {
    await api.revokeKey(id, await usePasskey(await api.ask('key.revoke', id)));
    finish();
  };

  return (
    <>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {T.heading}
        </h1>
        {mayChange('test') && (
          <button type="button" class="primary" onClick={() => setOpened({ what: 'create' })}>
            {T.create}
          </button>
        )}
      </div>
      {problem && <Problem error={problem} retry={reload} />}
      {keys?.length === 0 && <p class="empty">{T.empty}</p>}
      {keys && keys.length > 0 && (
        <table class="list tall">
          <TableHead texts={T.columns} kinds={{ customer: 'roomy', created: 'roomy', used: 'roomy', acts: 'unseen' }} />
          <tbody>
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} mayChange={key.isActive && mayChange(key.world)} onOpen={setOpened} />
            ))}
          </tbody>
        </table>
      )}
      {opened?.what === 'create' && (
        <CreateKey
          mayBeLive={mayChange('live')}
          onClose={close}
          onCreated={(created) => {
            setOpened({ what: 'created', created });
            reload();
          }}
        />
      )}
      {opened?.what === 'created' && <CreatedKey created={opened.created} onClose={close} />}
      {opened?.what === 'rename' && <RenameKey apiKey={opened.key} onClose={close} onRenamed={finish} />}
      {opened?.what === 'origins' && <LimitKey apiKey={opened.key} onClose={close} onLimited={finish} />}
      {opened?.what === 'revoke' && (
        <Confirm
          heading={T.revokeHeading(opened.key.label ?? T.unlabelled)}
          text={T.revokeText}
          button={T.revokeButton}
          work={() => revoke(opened.key)}
          onClose={close}
        />
      )}
    </>
  );
}

function KeyRow({
  apiKey: key,
  mayChange,
  onOpen,
}: {
  apiKey: KeyView;
  mayChange: boolean;
  onOpen: (opened: KeyDialog) => void;
}) {
  const button = (text: string, what: 'rename' | 'origins' | 'revoke', tone = '') => (
    <button
      type="button"
      class={`small ${tone}`.trim()}
      aria-label={`${text}${what === 'revoke' ? '' : ':'} ${key.label ?? T.unlabelled}`}
      onClick={() => onOpen({ what, key })}
    >
      {text}
    </button>
  );
  return (
    <tr class={key.isActive ? undefined : 'over'}>
      <th scope="row" class="whole">
        {key.label ?? <span class="quiet">{T.unlabelled}</span>}
        <span class="narrow quiet small-text">
          {key.customer !== null && <bdi>{key.customer}, </bdi>}
          {T.used(key.lastUsedAt === null ? T.never : TEXTS.about(formatHour(key.lastUsedAt)))}
        </span>
      </th>
      <td>
        <WorldBadge world={key.world} />{' '}
        {key.kind === 'development' && <span class="quiet roomy">{T.development}</span>}
      </td>
      <td class="roomy clip">{key.customer ?? TEXTS.none}</td>
      <td class="roomy">
        <Time at={key.createdAt} />
      </td>
      <td class="roomy">{key.lastUsedAt === null ? T.never : TEXTS.about(formatHour(key.lastUsedAt))}</td>
      <td>
        <Badge tone={key.isActive ? 'good' : 'quiet'}>{key.isActive ? T.active : T.revoked}</Badge>{' '}
        {key.embedOrigins.length > 0 && (
          <span class="quiet small-text" title={key.embedOrigins.join('\n')}>
            {T.sites(key.embedOrigins.length)}
          </span>
        )}{' '}
        {key.nativeApp && <span class="quiet small-text">{T.nativeApp}</span>}{' '}
        {key.kiosk && <span class="quiet small-text">{T.kiosk}</span>}
      </td>
      <td class="acts">
        {mayChange && (
          <span class="row end">
            {button(T.rename, 'rename')}
            {button(T.origins, 'origins')}
            {button(T.revoke, 'revoke', 'danger')}
          </span>
        )}
      </td>
    </tr>
  );
}

function CreateKey({
  mayBeLive,
  onClose,
  onCreated,
}: {
  mayBeLive: boolean;
  onClose: () => void;
  onCreated: (created: CreatedKeyView) => void;
}) {
  const create = async (form: FormData) => {
    const customer = readField(form, 'customer');
    const key: NewKeyView = {
      kind: readField(form, 'kind') === 'live' ? 'live' : 'test',
      label: readField(form, 'label'),
      clientCredentials: form.get('credentials') !== null,
      ...(customer !== '' && { customer }),
      nativeApp: form.get('native-app') !== null,
      kiosk: form.get('kiosk') !== null,
    };
    const traits = [...(key.nativeApp ? ['native-app'] : []), ...(key.kiosk ? ['kiosk'] : [])];
    const about = JSON.stringify([key.kind, key.label, key.customer ?? null, key.clientCredentials, ...traits]);
    const answer = await usePasskey(await api.ask('key.create', about));
    onCreated(await api.createKey(key, answer));
  };
  return (
    <FormDialog heading={T.createHeading} button={T.createButton} work={create} onClose={onClose}>
      <TextField name="label" label={T.label} hint={T.labelHint} maxLength={200} required />
      <fieldset>
        <legend>{T.world}</legend>
        <label class="check">
          <input type="radio" name="kind" value="test" checked />
          {T.test}
        </label>
        {mayBeLive ? (
          <label class="check">
            <input type="radio" name="kind" value="live" />
            {T.live}
          </label>
        ) : (
          <p class="quiet small-text">{T.testOnly}</p>
        )}
      </fieldset>
      <TextField name="customer" label={T.customer} hint={T.customerHint} maxLength={200} />
      <label class="check">
        <input type="checkbox" name="credentials" checked />
        {T.credentials}
      </label>
      <label class="check">
        <input type="checkbox" name="native-app" />
        {T.nativeAppHint}
      </label>
      <label class="check">
        <input type="checkbox" name="kiosk" />
        {T.kioskHint}
      </label>
    </FormDialog>
  );
}

function CreatedKey({ created, onClose }: { created: CreatedKeyView; onClose: () => void }) {
  const secrets: [string, string | null][] = [
    [T.apiKey, created.apiKey],
    [T.clientId, created.clientId],
    [T.clientSecret, created.clientSecret],
  ];
  return (
    <Dialog heading={T.createdHeading} onClose={onClose} stays>
      <p>{T.createdText}</p>
      <dl class="secrets">
        {secrets.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Code>{value}</Code> <CopyButton text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
      <CloseRow text={T.done} onClose={onClose} />
    </Dialog>
  );
}

function RenameKey({ apiKey, onClose, onRenamed }: { apiKey: KeyView; onClose: () => void; onRenamed: () => void }) {
  const save = async (form: FormData) => {
    await api.labelKey(apiKey.id, readField(form, 'label'));
    onRenamed();
  };
  return (
    <FormDialog heading={T.renameHeading} button={T.save} work={save} onClose={onClose}>
      <label>
        {T.label}
        <input name="label" required maxLength={200} defaultValue={apiKey.label ?? ''} autocomplete="off" />
      </label>
    </FormDialog>
  );
}

function LimitKey({ apiKey, onClose, onLimited }: { apiKey: KeyView; onClose: () => void; onLimited: () => void }) {
  const save = async (form: FormData) => {
    const origins = readField(form, 'origins').split(/\s+/).filter(Boolean);
    const answer = await usePasskey(await api.ask('key.origins', JSON.stringify([apiKey.id, ...origins])));
    await api.limitKey(apiKey.id, origins, answer);
    onLimited();
  };
  return (
    <FormDialog
      heading={T.originsHeading(apiKey.label ?? T.unlabelled)}
      button={T.saveWithPasskey}
      work={save}
      onClose={onClose}
    >
      <label>
        {T.originsLabel}
        <textarea
          name="origins"
          rows={4}
          spellcheck={false}
          defaultValue={apiKey.embedOrigins.join('\n')}
          aria-describedby="origins-hint"
        />
      </label>
      <p id="origins-hint" class="quiet small-text">
        {T.originsHint}
      </p>
    </FormDialog>
  );
}
