// The console: signed-in operator, current address, and the room to show.
import type { MeView } from '@limen/server/console';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { usePlace } from './address.ts';
import { api } from './api.ts';
import { ApiError, setSignOutHandler } from './call.ts';
import { AuditRoom } from './rooms/audit-room.tsx';
import { KeysRoom } from './rooms/keys-room.tsx';
import { SessionRoom } from './rooms/session-room.tsx';
import { SessionsRoom } from './rooms/sessions-room.tsx';
import { useHeading } from './rooms/use-heading.ts';
import { TEXTS } from './texts.ts';
import { Invite, SignIn } from './ui/entrance.tsx';
import { Frame, findClosedReason } from './ui/frame.tsx';
import { Problem } from './ui/parts.tsx';

const OverviewRoom = lazyRoom(async () => (await import('./rooms/overview/overview-room.tsx')).OverviewRoom);
const ReviewRoom = lazyRoom(async () => (await import('./rooms/review/review-room.tsx')).ReviewRoom);
const CaseRoom = lazyRoom(async () => (await import('./rooms/review/case-room.tsx')).CaseRoom);
const ScreeningRoom = lazyRoom(async () => (await import('./rooms/screening/screening-room.tsx')).ScreeningRoom);
const OperatorsRoom = lazyRoom(async () => (await import('./rooms/operators-room.tsx')).OperatorsRoom);
const PeopleRoom = lazyRoom(async () => (await import('./rooms/people-room.tsx')).PeopleRoom);
const WebhooksRoom = lazyRoom(async () => (await import('./rooms/webhooks/webhooks-room.tsx')).WebhooksRoom);
const SystemRoom = lazyRoom(async () => (await import('./rooms/system-room.tsx')).SystemRoom);
const SubjectRoom = lazyRoom(async () => (await import('./rooms/screening/subject-room.tsx')).SubjectRoom);

export function App() {
  const place = usePlace();
  /** Null if no operator is signed in. */
  const [me, setMe] = useState<MeView | null>();
  const [problem, setProblem] = useState<Error>();

  const look = () => {
    setProblem(undefined);
    api.me().then(setMe, (error: Error) => {
      if (!(error instanceof ApiError && error.status === 401)) setProblem(error);
    });
  };
  useEffect(() => {
    setSignOutHandler(() => setMe(null));
    look();
  }, []);

  if (place.room === 'invite') return <Invite invite={place.invite} isSignedIn={me != null} onSignedIn={look} />;
  if (problem) {
    return (
      <main class="entrance">
        <h1>{TEXTS.title}</h1>
        <Problem error={problem} retry={look} />
      </main>
    );
  }
  if (me === undefined) return null;
  if (me === null || place.room === 'refused') {
    return <SignIn onSignedIn={look} {...(place.room === 'refused' && { refused: place.why })} />;
  }
  const closed = findClosedReason(me, place);
  if (closed) {
    return (
      <Frame me={me} place={place} onSignedOut={() => setMe(null)} onChange={look}>
        <ClosedRoom key={closed} why={closed} role={me.role} />
      </Frame>
    );
  }
  return (
    <Frame me={me} place={place} onSignedOut={() => setMe(null)} onChange={look}>
      {place.room === 'overview' && <OverviewRoom filters={place.filters} />}
      {place.room === 'review' && <ReviewRoom filters={place.filters} />}
      {place.room === 'case' && <CaseRoom key={place.id} id={place.id} permissions={me.permissions} />}
      {place.room === 'sessions' && <SessionsRoom filters={place.filters} />}
      {place.room === 'session' && <SessionRoom key={place.id} id={place.id} permissions={me.permissions} />}
      {place.room === 'webhooks' && <WebhooksRoom filters={place.filters} permissions={me.permissions} />}
      {place.room === 'screening' && (
        <ScreeningRoom tab={place.tab} filters={place.filters} permissions={me.permissions} />
      )}
      {place.room === 'subject' && <SubjectRoom key={place.id} id={place.id} permissions={me.permissions} />}
      {place.room === 'keys' && <KeysRoom permissions={me.permissions} />}
      {place.room === 'audit' && <AuditRoom filters={place.filters} permissions={me.permissions} />}
      {place.room === 'operators' && <OperatorsRoom />}
      {place.room === 'people' && <PeopleRoom permissions={me.permissions} />}
      {place.room === 'system' && <SystemRoom permissions={me.permissions} />}
    </Frame>
  );
}

function ClosedRoom({ why, role }: { why: 'forbidden' | 'unknown'; role: string }) {
  const T = TEXTS.closed[why];
  const heading = useHeading(T.heading);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p>{T.text(role)}</p>
    </>
  );
}

/** Time for the first room to load. */
const FIRST_LOAD_MS = 2_000;

function lazyRoom<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let room: ComponentType<Props> | undefined;
  const fetchRoom = async () => {
    room ??= await load();
  };
  setTimeout(() => void fetchRoom().catch(() => {}), FIRST_LOAD_MS);

  return function Lazy(props: Props) {
    const [isLoaded, setLoaded] = useState(room !== undefined);
    const [problem, setProblem] = useState<Error>();
    const look = () => {
      setProblem(undefined);
      fetchRoom().then(
        () => setLoaded(true),
        () => setProblem(new Error(TEXTS.failed)),
      );
    };
    useEffect(() => {
      if (!isLoaded) look();
    }, []);
    if (problem) return <Problem error={problem} retry={look} />;
    const Room = isLoaded ? room : undefined;
    return Room ? <Room {...props} /> : null;
  };
}
