// Everything that recognises people of area D: the key-holder and the face tokens over it, for the model that is served.
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';
import type { KeyHolder } from '../keyholder/keyholder.ts';
import { type OpenKeyHolderOptions, openKeyHolder } from '../keyholder/open-key-holder.ts';
import { readManifest } from '../models/read-manifest.ts';
import type { FaceTokens } from './face-tokens.ts';
import { openFaceTokens } from './open-face-tokens.ts';
import { describeTokenModel } from './token-model.ts';

interface OpenSignIn extends Omit<OpenKeyHolderOptions, 'sealer' | 'log'> {
  database: Database;
  sealer: Sealer;
  memoryMb: number;
  maxPeople: number;
  clock: Clock;
  ids: Ids;
  log: Logger;
}

export interface SignIn {
  keyHolder: KeyHolder;
  tokens: FaceTokens;
  modelId: string;
  close(): Promise<void>;
}

export async function openSignIn(options: OpenSignIn): Promise<SignIn> {
  const { models } = await readManifest(options.modelManifest);
  const embedding = models.find(({ role }) => role === 'embedding');
  if (!embedding) throw new Error('the manifest has no embedding model');
  const keyHolder = openKeyHolder(options);
  const tokens = openFaceTokens({ ...options, keyHolder, modelSha256: embedding.sha256 });
  return {
    keyHolder,
    tokens,
    modelId: describeTokenModel(embedding.sha256).modelId,
    async close() {
      await tokens.close();
      await keyHolder.close();
    },
  };
}
