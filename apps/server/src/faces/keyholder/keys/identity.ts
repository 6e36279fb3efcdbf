// The key-holder's identity: the key that signs challenges.
import { makeIdentity, signChallenge } from '@limen/token/keyholder';
import type { KeyHolderStore } from '../store/store.ts';

const PLACE = 'identity/secret';

export type KeyHolderIdentity = Awaited<ReturnType<typeof openIdentity>>;

export async function openIdentity({ sealer, transact, read }: KeyHolderStore) {
  const find = () =>
    read((rows) => rows.get<{ secret: Uint8Array; public_key: Uint8Array }>`select secret, public_key from identity`);
  if (!(await find())) {
    const { privateKey, publicKey } = await makeIdentity();
    await transact(
      (rows) =>
        rows.run`insert into identity (one, secret, public_key) values (1, ${sealer.seal(privateKey, PLACE)}, ${publicKey}) on conflict do nothing`,
    );
    privateKey.fill(0);
  }
  const { secret, public_key: publicKey } = (await find())!;
  const privateKey = sealer.open(secret, PLACE);
  return { publicKey, sign: (terms: Parameters<typeof signChallenge>[1]) => signChallenge(privateKey, terms) };
}
