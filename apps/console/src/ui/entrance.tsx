// Before one is in: the invite with its passkey, and the sign-in.
import type { InviteView } from '@limen/server/console';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { go } from '../address.ts';
import { api } from '../api.ts';
import { createPasskey, hasPasskeys, usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { Problem, WorkButton } from './parts.tsx';

function Entrance({ heading, children }: { heading: string; children: ComponentChildren }) {
  useEffect(() => {
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

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const signIn = async () => {
    await api.signIn(await usePasskey(await api.askSignIn()));
    onSignedIn();
  };
  return (
    <Entrance heading={TEXTS.signIn.heading}>
      <p>{hasPasskeys() ? TEXTS.signIn.lead : TEXTS.signIn.unsupported}</p>
      <WorkButton class="primary" work={signIn}>
        {TEXTS.signIn.button}
      </WorkButton>
      <p class="quiet">{TEXTS.signIn.hint}</p>
    </Entrance>
  );
}

export function Invite({ invite, onSignedIn }: { invite: string; onSignedIn: () => void }) {
  const [opened, setOpened] = useState<InviteView>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    api.openInvite(invite).then(setOpened, setProblem);
  }, [invite]);

  const register = async () => {
    // Asked again: the person may have taken their time, and a question is good for two minutes.
    await api.register(invite, await createPasskey(await api.openInvite(invite)));
    go({ room: 'sessions', filters: {} });
    onSignedIn();
  };

  if (problem) {
    return (
      <Entrance heading={TEXTS.invite.refused}>
        <Problem error={problem} />
        <p>
          <a href="#/sessions">{TEXTS.invite.toSignIn}</a>
        </p>
      </Entrance>
    );
  }
  if (!opened) return <Entrance heading={TEXTS.loading}>{null}</Entrance>;
  return (
    <Entrance heading={TEXTS.invite.heading(opened.name)}>
      <p>{TEXTS.invite.lead(opened.role)}</p>
      <WorkButton class="primary" work={register}>
        {TEXTS.invite.button}
      </WorkButton>
    </Entrance>
  );
}
