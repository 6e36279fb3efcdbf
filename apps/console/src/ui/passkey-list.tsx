// Passkeys of an operator, each with a button to remove it.
import type { PasskeyView } from '@limen/server/console';
import { api } from '../api.ts';
import { usePasskey } from '../passkeys.ts';
import { TEXTS } from '../texts.ts';
import { Time, WorkButton } from './parts.tsx';

const T = TEXTS.operators;

interface PasskeyListProps {
  passkeys: readonly PasskeyView[];
  /** Undefined if the operator has no other passkey to confirm with. */
  remove?: ((id: string, answer: Awaited<ReturnType<typeof usePasskey>>) => Promise<unknown>) | undefined;
  onRemoved: () => void;
}

export function PasskeyList({ passkeys, remove, onRemoved }: PasskeyListProps) {
  return (
    <ul class="plain-list">
      {passkeys.map(({ id, createdAt, usedAt }) => (
        <li key={id}>
          <p>
            {T.made} <Time at={createdAt} />, {usedAt === null ? T.unused : T.seen}{' '}
            {usedAt !== null && <Time at={usedAt} />}
          </p>
          {remove && (
            <WorkButton
              class="small danger"
              work={async () => {
                await remove(id, await usePasskey(await api.ask('passkey.remove', id)));
                onRemoved();
              }}
            >
              {T.removePasskey}
            </WorkButton>
          )}
        </li>
      ))}
    </ul>
  );
}
