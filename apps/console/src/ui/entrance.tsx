// Screens before sign-in: invite and sign-in.
import type { InviteView, ProviderRefusal } from '@limen/server/console';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { navigate } from '../address.ts';
import { api } from '../api.ts';
import { createPasskey, hasPasskeys, usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { Code, Problem, WorkButton } from './parts.tsx';

function Entrance({ heading, children }: { heading: string; children: ComponentChildren }) {
  useLayoutEffect(() => {
    document.title = `${heading} · ${TEXTS.title}`;
  }, [heading]);
  return (
    <main class="entrance">
      <p class="brand">Limen</p>
      <h1>{heading}</h1>
      {children}
    </main>
  );
}

export function SignIn({ refused, onSignedIn }: { refused?: ProviderRefusal; onSignedIn: () => void }) {
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => {
    // The passkey works even if this call fails.
    api.waysIn().then(
      (ways) => setProvider(ways.provider),
      () => {},
    );
  }, []);

  const signIn = async () => {
    await api.signIn(await usePasskey(await api.askSignIn()));
    if (refused !== undefined) navigate({ room: 'sessions', filters: {} });
    onSignedIn();
  };
  const leave = async () => {
    location.assign((await api.leaveForProvider()).url);
    // The page is about to unload, so the button stays busy.
    await new Promise(() => {});
  };

  return (
    <Entrance heading={TEXTS.signIn.heading}>
      {refused !== undefined && (
        <p class="problem" role="alert">
          {TEXTS.signIn.refused[refused]}
        </p>
      )}
      {provider !== null && (
        <>
          <WorkButton class="primary" work={leave}>
            {TEXTS.signIn.provider(provider)}
          </WorkButton>
          <p class="quiet">{TEXTS.signIn.or}</p>
        </>
      )}
      <p>{hasPasskeys() ? TEXTS.signIn.lead : TEXTS.signIn.unsupported}</p>
      <WorkButton class={provider === null ? 'primary' : 'secondary'} work={signIn}>
        {TEXTS.signIn.button}
      </WorkButton>
      <p class="quiet">{TEXTS.signIn.hint}</p>
    </Entrance>
  );
}

interface InviteProps {
  invite: string;
  /** Signed in by an identity provider, so the passkey can be registered later. */
  isSignedIn: boolean;
  onSignedIn: () => void;
}

export function Invite({ invite, isSignedIn, onSignedIn }: InviteProps) {
  const [opened, setOpened] = useState<InviteView>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    api.openInvite(invite).then(setOpened, setProblem);
  }, [invite]);

  const register = async () => {
    // Gets a new challenge, because challenges expire after two minutes.
    await api.register(invite, await createPasskey(await api.openInvite(invite)));
    navigate({ room: 'sessions', filters: {} });
    onSignedIn();
  };

  if (problem) {
    return (
      <Entrance heading={TEXTS.invite.refused}>
        <Problem error={problem} />
        <p>{TEXTS.invite.another}</p>
        <ul>
          {TEXTS.invite.anotherWays.map(([way, command]) => (
            <li key={way}>
              {way} {command !== null && <Code>{command}</Code>}
            </li>
          ))}
        </ul>
        <p>
          <a href="#/sessions">{TEXTS.invite.toSignIn}</a>
        </p>
      </Entrance>
    );
  }
  if (!opened) return <Entrance heading={TEXTS.loading}>{null}</Entrance>;
  return (
    <Entrance heading={TEXTS.invite.heading(opened.name)}>
      <p>{isSignedIn ? TEXTS.invite.provided(opened.role) : TEXTS.invite.lead(opened.role)}</p>
      <WorkButton class="primary" work={register}>
        {TEXTS.invite.button}
      </WorkButton>
      {isSignedIn && (
        <p>
          <a href="#/sessions">{TEXTS.invite.later}</a>
        </p>
      )}
    </Entrance>
  );
}
