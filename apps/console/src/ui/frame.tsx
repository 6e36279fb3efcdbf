// Frame around the rooms: navigation, account and shortcuts.
import type { MeView, Permission } from '@limen/server/console';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatFragment, navigate, type Place } from '../address.ts';
import { api } from '../api.ts';
import { areShortcutsOn, setShortcuts, useShortcuts } from '../keyboard.ts';
import { TEXTS } from '../texts.ts';
import { useLoad } from '../use-load.ts';
import { useShownLink } from './lists.tsx';
import { CloseRow, Dialog, Problem, Time, WorkButton } from './parts.tsx';
import { PasskeyList } from './passkey-list.tsx';

interface Room {
  name: keyof typeof TEXTS.rooms;
  needs: Permission;
  place: Place;
  /** Shortcut key pressed after `g`. */
  key: string;
  /** Set for rooms that depend on an enabled feature. */
  isAvailable?: (me: MeView) => boolean;
}

const ROOMS: readonly Room[] = [
  { name: 'overview', needs: 'overview.read', place: { room: 'overview', filters: {} }, key: 'o' },
  { name: 'review', needs: 'review.read', place: { room: 'review', filters: {} }, key: 'r' },
  { name: 'sessions', needs: 'sessions.read', place: { room: 'sessions', filters: {} }, key: 's' },
  { name: 'webhooks', needs: 'deliveries.read', place: { room: 'webhooks', filters: {} }, key: 'w' },
  {
    name: 'screening',
    needs: 'screening.read',
    place: { room: 'screening', tab: 'search', filters: {} },
    key: 'c',
    isAvailable: ({ hasScreening }) => hasScreening,
  },
  { name: 'people', needs: 'people.read', place: { room: 'people' }, key: 'p' },
  { name: 'keys', needs: 'keys.read', place: { room: 'keys' }, key: 'k' },
  { name: 'audit', needs: 'audit.read', place: { room: 'audit', filters: {} }, key: 'a' },
  { name: 'operators', needs: 'operators.manage', place: { room: 'operators' }, key: 't' },
  { name: 'system', needs: 'system.read', place: { room: 'system' }, key: 'y' },
];

/** Tabs within a room. */
const PARENT_ROOMS: Partial<Record<Place['room'], Room['name']>> = {
  session: 'sessions',
  subject: 'screening',
  case: 'review',
};

/** Reason for not showing a room, or undefined. */
export function findClosedReason(me: MeView, { room }: Place): 'forbidden' | 'unknown' | undefined {
  const found = ROOMS.find(({ name }) => name === (PARENT_ROOMS[room] ?? room));
  if (!found || !(found.isAvailable?.(me) ?? true)) return 'unknown';
  return me.permissions.includes(found.needs) ? undefined : 'forbidden';
}

interface FrameProps {
  me: MeView;
  place: Place;
  onSignedOut: () => void;
  onChange: () => void;
  children: ComponentChildren;
}

export function Frame({ me, place, onSignedOut, onChange, children }: FrameProps) {
  const [open, setOpen] = useState<'account' | 'shortcuts'>();
  const rooms = ROOMS.filter(({ needs, isAvailable }) => me.permissions.includes(needs) && (isAvailable?.(me) ?? true));
  useShortcuts({
    '?': () => setOpen('shortcuts'),
    ...Object.fromEntries(rooms.map(({ key, place: to }) => [`g ${key}`, () => navigate(to)])),
  });
  const here = PARENT_ROOMS[place.room] ?? place.room;
  const nav = useShownLink(here);

  return (
    <>
      <header class="side">
        <a class="skip" href={formatFragment(place)} onClick={skipToContent}>
          {TEXTS.skip}
        </a>
        <p class="brand">Limen</p>
        <nav ref={nav} aria-label={TEXTS.title}>
          <ul>
            {rooms.map(({ name, place: to }) => (
              <li key={name}>
                <a href={formatFragment(to)} aria-current={here === name ? 'page' : undefined}>
                  {TEXTS.rooms[name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="row who">
          <button type="button" class="plain by-keyboard" onClick={() => setOpen('shortcuts')}>
            {TEXTS.shortcuts.open}
          </button>
          <button type="button" class="plain" onClick={() => setOpen('account')}>
            {TEXTS.account.open(me.name, me.role)}
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {open === 'account' && (
        <Account me={me} onClose={() => setOpen(undefined)} onSignedOut={onSignedOut} onChange={onChange} />
      )}
      {open === 'shortcuts' && <ShortcutList onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Rooms own the fragment, so the skip link moves the focus itself. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Account({
  me,
  onClose,
  onSignedOut,
  onChange,
}: Omit<FrameProps, 'place' | 'children'> & { onClose: () => void }) {
  const { value: own, problem, reload } = useLoad('my-passkeys', api.passkeys);
  const signOut = async () => {
    await api.signOut();
    onSignedOut();
  };
  const end = async (id: string) => {
    await api.endSession(id);
    onChange();
  };
  return (
    <Dialog heading={TEXTS.account.heading} onClose={onClose}>
      <p>{TEXTS.account.open(me.name, me.role)}</p>
      <h3>{TEXTS.account.sessions}</h3>
      <ul class="plain-list">
        {me.sessions.map(({ id, createdAt, address, agent, isThis }) => (
          <li key={id}>
            <p>
              <bdi dir="ltr">{address}</bdi>, {TEXTS.account.since} <Time at={createdAt} />
              {isThis && ` (${TEXTS.account.this})`}
            </p>
            <p class="quiet small-text">{agent}</p>
            {!isThis && (
              <WorkButton class="small" work={() => end(id)}>
                {TEXTS.account.end}
              </WorkButton>
            )}
          </li>
        ))}
      </ul>
      <p class="quiet">{TEXTS.account.idle(me.idleMinutes)}</p>
      <h3>{TEXTS.account.passkeys}</h3>
      {problem && <Problem error={problem} retry={reload} />}
      {own && (
        <PasskeyList
          passkeys={own.passkeys}
          remove={own.passkeys.length > 1 ? api.removePasskey : undefined}
          onRemoved={() => {
            reload();
            onChange();
          }}
        />
      )}
      <p class="quiet">{TEXTS.account.passkeysHint}</p>
      {own && own.links.length > 0 && (
        <>
          <p>{TEXTS.account.links}</p>
          <ul class="plain-list">
            {own.links.map(({ at, by }) => (
              <li key={at}>
                <Time at={at} />, <bdi>{TEXTS.account.linkBy(by)}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="row end">
        <button type="button" onClick={onClose}>
          {TEXTS.close}
        </button>
        <WorkButton class="primary" work={signOut}>
          {TEXTS.account.signOut}
        </WorkButton>
      </div>
    </Dialog>
  );
}

function ShortcutList({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  const choose = (on: boolean) => {
    setShortcuts(on);
    setOn(on);
  };
  return (
    <Dialog heading={TEXTS.shortcuts.heading} onClose={onClose}>
      <dl class="shortcuts">
        {TEXTS.shortcuts.list.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={(event) => choose(event.currentTarget.checked)} />
        {TEXTS.shortcuts.enable}
      </label>
      <CloseRow text={TEXTS.close} onClose={onClose} />
    </Dialog>
  );
}
