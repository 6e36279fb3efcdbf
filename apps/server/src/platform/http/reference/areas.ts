// Areas of the API in the order in which a reader needs them. Each has a page at `/docs/<path>`.

export interface ReferenceArea {
  group: string;
  path: string;
  title: string;
  sentence: string;
  /** Tags of the operations on the page */
  tags: string[];
}

type AreaEntry = [title: string, sentence: string, ...tags: string[]];

const GROUPS: Record<string, Record<string, AreaEntry>> = {
  'Get started': {
    overview: ['API reference', 'Every operation of the service, also as [OpenAPI 3.1](/openapi.json).'],
    authentication: ['Authentication', 'API keys, safe retries, limits and versions.'],
  },
  'Use cases': {
    ages: ['Check ages', 'Prove an age by face, document or wallet.', 'Age sessions'],
    verification: ['Sign in with a face', 'Enroll a person and recognize them later.', 'Verification sessions'],
    screening: ['Screen names', 'Compare names with sanctions lists.', 'Sanctions check'],
    watching: ['Watch names', 'Get an alert when the lists change for a subject.', 'Watched subjects'],
    node: ['Biometric node', 'Enroll and find people by their face features.', 'Biometric node'],
    strings: ['String store', 'Store and list short texts.', 'String store'],
  },
  'Across the API': {
    webhooks: ['Webhooks', 'Receive events, verify their signatures and resend them.', 'Webhooks'],
    errors: ['Errors', 'The meaning and the remedy of every error code.'],
    service: ['Service', 'Check health, read metrics and get the signing keys.', 'Operation', 'Signed results'],
  },
  Protocols: {
    device: ['Device channel', 'Calls of the launch page, signed by the device.', 'Device channel'],
    proofs: ['Device proofs', 'Age keys and wallets on the device.', 'Device channel: proofs', 'Age keys', 'Wallets'],
    faces: ['Device faces', 'Face tokens and passkeys on the device.', 'Device channel: verification'],
    yente: ['yente routes', 'Screening with the routes and replies of yente.', 'Screening as yente does it'],
  },
};

export const AREAS: readonly ReferenceArea[] = Object.entries(GROUPS).flatMap(([group, areas]) =>
  Object.entries(areas).map(([path, [title, sentence, ...tags]]) => ({ group, path, title, sentence, tags })),
);
