// Deletes the data kept for an age key. There is no session: the key itself proves who asks.
import type { DeleteAgeKeyReply, PasskeyOptionsReply } from '@limen/contract';
import type { EndScreen, MyAgeKeyScreen } from '../course/screens.ts';
import type { Passkeys } from '../passkeys/passkeys.ts';

interface MyAgeKeyOptions {
  /** Base URL of the service, with a trailing slash. */
  baseUrl: string;
  passkeys: Passkeys;
  fetch(url: URL, init: RequestInit): Promise<Response>;
  show(screen: MyAgeKeyScreen | EndScreen): void;
}

export function createMyAgeKey({ baseUrl, passkeys, fetch, show }: MyAgeKeyOptions) {
  const showState = (state: MyAgeKeyScreen['state']) => show({ name: 'my_age_key', state });

  return {
    open: (): void => showState(passkeys.isSupported() ? 'explain' : 'unsupported'),
    async delete(): Promise<void> {
      showState('asking');
      const outcome = await ask().catch(() => 'refused' as const);
      if (outcome === 'refused') showState('failed');
      else show({ name: 'end', how: outcome === 'deleted' ? 'key_deleted' : 'key_not_known', redirectUrl: null });
    },
  };

  async function ask(): Promise<DeleteAgeKeyReply['outcome']> {
    const [{ publicKey }] = await Promise.all([call<PasskeyOptionsReply>('options', {}), passkeys.prepare()]);
    const response = await passkeys.ask('assert', publicKey);
    return (await call<DeleteAgeKeyReply>('delete', { response })).outcome;
  }

  async function call<Reply>(operation: string, body: object): Promise<Reply> {
    const reply = await fetch(new URL(`launch/my-age-key/${operation}`, baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`The service answered ${reply.status}`);
    return (await reply.json()) as Reply;
  }
}
