// Operators: invite, sign out, remove.
import type { InvitedView, OperatorView, Role } from '@limen/server/console';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useShortcuts } from '../keyboard.ts';
import { usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { FormDialog, readField, TextField } from '../ui/form-dialog.tsx';
import { Badge, CloseRow, Code, Confirm, CopyButton, Dialog, Problem, Time } from '../ui/parts.tsx';
import { PasskeyList } from '../ui/passkey-list.tsx';
import { TableHead } from '../ui/table-head.tsx';
import { useLoad } from '../use-load.ts';
import { useHeading } from './use-heading.ts';

const T = TEXTS.operators;
const ROLES = Object.keys(T.roles) as Role[];

type OperatorDialog =
  | { what: 'invite'; known?: OperatorView }
  | { what: 'invited'; invited: InvitedView }
  | { what: 'sessions' | 'passkeys' | 'sign-out' | 'remove'; operator: OperatorView };

export function OperatorsRoom() {
  const heading = useHeading(T.heading);
  const { value: operators, problem, reload } = useLoad('operators', api.operators);
  const [opened, setOpened] = useState<OperatorDialog>();
  useShortcuts({ r: reload });
  const close = () => setOpened(undefined);
  const done = () => {
    close();
    reload();
  };
  const signOut = async ({ id }: OperatorView) => {
    await api.signOutOperator(id);
    done();
  };
  const remove = async ({ id }: OperatorView) => {
    await api.removeOperator(id, await usePasskey(await api.ask('operator.remove', id)));
    done();
  };

  return (
    <>
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          {T.heading}
        </h1>
        <button type="button" class="primary" onClick={() => setOpened({ what: 'invite' })}>
          {T.invite}
        </button>
      </div>
      <p class="quiet">{T.lead}</p>
      {problem && <Problem error={problem} retry={reload} />}
      {operators && (
        <table class="list tall">
          <TableHead
            texts={T.columns}
            kinds={{ passkeys: 'roomy number', seen: 'roomy', sessions: 'roomy', acts: 'unseen' }}
          />
          <tbody>
            {operators.map((operator) => (
              <Row key={operator.id} operator={operator} onOpen={setOpened} />
            ))}
          </tbody>
        </table>
      )}
      {opened?.what === 'invite' && (
        <Invite
          known={opened.known}
          onClose={close}
          onInvited={(invited) => {
            setOpened({ what: 'invited', invited });
            reload();
          }}
        />
      )}
      {opened?.what === 'invited' && <Invited invited={opened.invited} onClose={close} />}
      {opened?.what === 'sessions' && <Sessions operator={opened.operator} onClose={close} />}
      {opened?.what === 'passkeys' && <Passkeys operator={opened.operator} onClose={close} onRemoved={done} />}
      {opened?.what === 'sign-out' && (
        <Confirm
          heading={T.signOutHeading(opened.operator.name)}
          text={T.signOutText}
          button={T.signOutButton}
          work={() => signOut(opened.operator)}
          onClose={close}
        />
      )}
      {opened?.what === 'remove' && (
        <Confirm
          heading={T.removeHeading(opened.operator.name)}
          text={T.removeText}
          button={T.removeButton}
          work={() => remove(opened.operator)}
          onClose={close}
        />
      )}
    </>
  );
}

function Row({ operator, onOpen }: { operator: OperatorView; onOpen: (opened: OperatorDialog) => void }) {
  const { name, role, passkeys, isProvided, seenAt, sessions, isYou } = operator;
  const act = (text: string, opened: OperatorDialog, tone = '') => (
    <button type="button" class={`small ${tone}`} aria-label={`${text} ${name}`} onClick={() => onOpen(opened)}>
      {text}
    </button>
  );
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi> {isYou && <Badge tone="accent">{T.you}</Badge>}{' '}
        {isProvided && <Badge tone="quiet">{T.provided}</Badge>}
        {passkeys.length === 0 && !isProvided && <Badge tone="quiet">{T.invited}</Badge>}
      </th>
      <td>{role}</td>
      <td class="roomy number">
        {passkeys.length === 0 ? (
          0
        ) : (
          <button
            type="button"
            class="small"
            aria-label={`${T.passkeys(passkeys.length)}: ${name}`}
            onClick={() => onOpen({ what: 'passkeys', operator })}
          >
            {passkeys.length}
          </button>
        )}
      </td>
      <td class="roomy">{seenAt === null ? T.never : <Time at={seenAt} />}</td>
      <td class="roomy">
        {sessions.length === 0 ? (
          <span class="quiet">{T.places(0)}</span>
        ) : (
          <button
            type="button"
            class="small"
            aria-label={`${T.places(sessions.length)}: ${name}`}
            onClick={() => onOpen({ what: 'sessions', operator })}
          >
            {T.places(sessions.length)}
          </button>
        )}
      </td>
      <td class="acts">
        <span class="row end">
          {act(T.another, { what: 'invite', known: operator })}
          {!isYou && sessions.length > 0 && act(T.signOut, { what: 'sign-out', operator })}
          {!isYou && act(T.remove, { what: 'remove', operator }, 'danger')}
        </span>
      </td>
    </tr>
  );
}

function Sessions({ operator: { name, sessions }, onClose }: { operator: OperatorView; onClose: () => void }) {
  return (
    <Dialog heading={T.sessions(name)} onClose={onClose}>
      <ul class="plain-list">
        {sessions.map(({ id, address, agent, createdAt, seenAt }) => (
          <li key={id}>
            <p>
              <bdi dir="ltr">{address}</bdi>, {T.since} <Time at={createdAt} />, {T.seen} <Time at={seenAt} />
            </p>
            <p class="quiet small-text">{agent}</p>
          </li>
        ))}
      </ul>
      <CloseRow text={TEXTS.close} onClose={onClose} />
    </Dialog>
  );
}

interface PasskeysProps {
  operator: OperatorView;
  onClose: () => void;
  onRemoved: () => void;
}

function Passkeys({ operator: { id, name, passkeys, isYou }, onClose, onRemoved }: PasskeysProps) {
  return (
    <Dialog heading={T.passkeysOf(name)} onClose={onClose}>
      <PasskeyList
        passkeys={passkeys}
        remove={isYou ? undefined : (passkeyId, answer) => api.removePasskeyOf(id, passkeyId, answer)}
        onRemoved={onRemoved}
      />
      <p class="quiet">{isYou ? T.passkeysYours : T.passkeysHint}</p>
      <CloseRow text={TEXTS.close} onClose={onClose} />
    </Dialog>
  );
}

interface InviteFormProps {
  /** Operator who gets another passkey. */
  known: OperatorView | undefined;
  onClose: () => void;
  onInvited: (invited: InvitedView) => void;
}

function Invite({ known, onClose, onInvited }: InviteFormProps) {
  const invite = async (form: FormData) => {
    const name = known?.name ?? readField(form, 'name');
    const role = known?.role ?? (readField(form, 'role') as Role);
    const answer = await usePasskey(await api.ask('operator.invite', `${role} ${name}`));
    onInvited(await api.inviteOperator(name, role, answer));
  };
  return (
    <FormDialog
      heading={known ? `${T.another} ${known.name}` : T.inviteHeading}
      button={T.inviteButton}
      work={invite}
      onClose={onClose}
    >
      {!known && (
        <>
          <TextField name="name" label={T.inviteName} hint={T.inviteNameHint} maxLength={100} required />
          <fieldset>
            <legend>{T.inviteRole}</legend>
            {ROLES.map((role) => (
              <label key={role} class="check">
                <input type="radio" name="role" value={role} defaultChecked={role === 'reviewer'} />
                <span>
                  {role} <span class="quiet small-text">{T.roles[role]}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

function Invited({ invited: { name, link, expiresAt }, onClose }: { invited: InvitedView; onClose: () => void }) {
  const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000));
  return (
    <Dialog heading={T.linkHeading} onClose={onClose} stays>
      <p>{T.linkText(name, minutes)}</p>
      <dl class="secrets">
        <div>
          <dt>{T.link}</dt>
          <dd>
            <Code>{link}</Code> <CopyButton text={link} />
          </dd>
        </div>
      </dl>
      <CloseRow text={T.done} onClose={onClose} />
    </Dialog>
  );
}
