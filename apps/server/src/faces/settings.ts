// Settings of the biometric node, sign-in by face, the key-holder and the models.
import { join } from 'node:path';
import type { Config } from '../config.ts';

export function keyHolderSettings(config: Config) {
  return {
    urls: config.KEYHOLDER_URL,
    secrets: config.KEYHOLDER_SECRET,
    dataDir: config.DATA_DIR,
    threadEntry: new URL('./keyholder/keyholder-thread.ts', import.meta.url),
    matchThreshold: config.KEYHOLDER_MATCH_THRESHOLD,
    budgets: {
      sign_in: config.KEYHOLDER_ANSWERS_PER_HOUR,
      sign_in_address: config.KEYHOLDER_ANSWERS_PER_ADDRESS,
      sign_in_person: config.KEYHOLDER_ANSWERS_PER_PERSON,
      enrol: config.KEYHOLDER_ENROLMENTS_PER_HOUR,
      enrol_address: config.KEYHOLDER_ENROLMENTS_PER_ADDRESS,
    },
    auditDays: config.AUDIT_DAYS,
    modelManifest: config.MODEL_MANIFEST,
  };
}

export function modelsFolder({ MODELS_DIR, DATA_DIR }: Config): string {
  return MODELS_DIR ?? join(DATA_DIR, 'models');
}

export function signInSettings(config: Config) {
  return { ...keyHolderSettings(config), memoryMb: config.TOKEN_MEMORY_MB, maxPeople: config.MAX_PEOPLE };
}

export function peopleSettings(config: Config) {
  return {
    vectorStore: config.VECTOR_STORE,
    memoryBytes: config.FACE_MEMORY_MB === undefined ? undefined : config.FACE_MEMORY_MB * 2 ** 20,
    mayMiss: config.VECTOR_SEARCH === 'approximate',
    matchThreshold: config.NODE_MATCH_THRESHOLD,
    maxEmbeddings: config.NODE_MAX_EMBEDDINGS,
    url: config.DATABASE_URL,
    dataDir: config.DATA_DIR,
  };
}

export function facesSettings(config: Config) {
  return {
    servesNode: config.SERVE.has('node'),
    signIn: signInSettings(config),
    people: peopleSettings(config),
    limits: nodeLimits(config),
  };
}

function nodeLimits(config: Config) {
  return {
    perKey: { perSecond: config.NODE_RATE_LIMIT, burst: config.NODE_RATE_BURST },
    strangers: { perSecond: config.NODE_STRANGER_RATE_LIMIT, burst: config.NODE_STRANGER_RATE_BURST },
  };
}
