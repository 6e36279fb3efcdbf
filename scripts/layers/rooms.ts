// The rooms of the house and the arrows between them: what a file may import, by the folder that it stands in.

export interface Room {
  /** A folder, from the root; `*` stands for one name, and each of them is then a room of its own. */
  folder: string;
  /** Folders beside its own that it may lead to. Packages that are below everything: see `BELOW_ALL`. */
  may: readonly string[];
  /** Which libraries; without it, any. */
  libraries?: readonly string[];
  /** Said to whoever breaks the rule. */
  because: string;
}

const SERVER = 'apps/server/src';
const PAGE = 'apps/launch/src';

/** The server from bottom to top. A room may import the floors below it; rooms on one floor do not know each other. */
const SERVER_FLOORS: readonly (readonly string[])[] = [
  ['platform'],
  ['records', 'strings'],
  ['config.ts'],
  ['command-line'],
  ['signing', 'webhooks'],
  ['console'],
  ['review'],
  ['screening', 'faces'],
  ['sessions'],
  ['tables.ts'],
  ['operations'],
];
/** The folders inside a room from bottom to top. Files beside them join them together. */
const ROOM_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  platform: [
    ['async', 'base', 'names', 'text'],
    ['files', 'json', 'outbound', 'webauthn'],
    ['database'],
    ['sealing', 'watch'],
    ['api-keys', 'jobs', 'tracing'],
    ['idempotency'],
    ['http'],
    ['settings'],
  ],
  console: [['operators'], ['door'], ['account', 'api-keys', 'audit']],
  screening: [['csv'], ['engine'], ['lists'], ['match'], ['files', 'subjects'], ['yente', 'console', 'cli']],
  faces: [['models'], ['galleries', 'keyholder'], ['tokens'], ['node'], ['cli']],
  sessions: [
    ['lifecycle'],
    ['risk', 'proofs', 'page'],
    ['device'],
    ['host'],
    ['age', 'verification', 'console', 'cli'],
  ],
  operations: [['start', 'backup', 'data-keys', 'front-door', 'console'], ['doctor']],
};
/** Files of a room that its folders may import. */
const SHARED_IN_ROOM = ['limits.ts', 'settings.ts', 'tables.ts'];

/** They know nothing of who uses them. */
const BELOW_ALL = ['packages/plan', 'packages/contract'];

/** The first that fits counts. Folders without an entry (benches, scripts, tests) may use everything. */
export const ROOMS: readonly Room[] = [
  {
    folder: 'packages/plan/src',
    may: [],
    libraries: [],
    because: 'The plan has no dependencies: it runs wherever the protocol is spoken.',
  },
  {
    folder: 'packages/contract/src',
    may: ['packages/plan'],
    because: 'The contract knows the plan and nothing else of the project.',
  },
  {
    folder: 'packages/sdk/src',
    may: BELOW_ALL,
    because: 'The SDK is published: it knows the plan and the contract alone.',
  },
  {
    folder: 'packages/token/shared',
    may: [],
    because: 'What all three roles of a face token share knows none of them.',
  },
  {
    folder: 'packages/token/*',
    may: ['packages/token/shared'],
    because:
      'Device, evaluator and key-holder trust each other with nothing, so they share no code but what is in shared.',
  },
  {
    folder: 'packages/wallet/test-issuer',
    may: ['packages/wallet/src'],
    because: 'The test issuer speaks the language of the verifier, which in turn knows nothing of it.',
  },
  {
    folder: 'packages/wallet/src',
    may: ['packages/p256'],
    because: 'What wallets send is sealed to keys on P-256; beside those, the verifier knows nothing of the project.',
  },
  {
    folder: 'packages/inference/src',
    may: ['packages/face-models'],
    libraries: [],
    because: 'The runtime of the models reads their files as whoever writes them does, and needs nothing else.',
  },
  {
    folder: 'packages/face-geometry/src',
    may: ['packages/face-models'],
    because: 'Geometry knows pictures and the forms that models take them in, and neither models nor pages.',
  },
  {
    folder: 'packages/light/src',
    may: ['packages/plan', 'packages/face-geometry'],
    libraries: [],
    because: 'The analysis of light sees frames and the colors of the plan, and neither models nor pages.',
  },
  {
    folder: 'packages/*/src',
    may: ['packages/plan'],
    because: 'Packages are below the applications, and beside each other.',
  },
  {
    folder: `${SERVER}/faces/keyholder`,
    may: [`${SERVER}/platform`, `${SERVER}/faces/models/match-threshold.ts`, 'packages'],
    because:
      'The key-holder may run on a machine of its own. It knows how to talk to the service and nothing else of it.',
  },
  ...SERVER_FLOORS.flatMap((floor, index) => floor.flatMap((name) => roomsOf(name, pathsBelow(SERVER_FLOORS, index)))),
  {
    folder: `${PAGE}/{face,signals}`,
    may: ['packages'],
    libraries: [],
    because: 'What is looked at comes as a parameter: frames, models, the browser.',
  },
  {
    folder: `${PAGE}/{i18n,loading,camera,passkeys,wallets}`,
    may: ['packages', `${PAGE}/loading`],
    libraries: ['@simplewebauthn/browser'],
    because: 'These know the browser and nothing of the page.',
  },
  {
    folder: `${PAGE}/{document,token,people}`,
    may: ['packages', `${PAGE}/face`, `${PAGE}/loading`],
    libraries: ['zxing-wasm/reader', 'zxing-wasm/reader/zxing_reader.wasm?url', 'virtual:seal.wasm?url'],
    because: 'These work beside the face and below the models’ worker.',
  },
  {
    folder: `${PAGE}/models`,
    may: ['packages', `${PAGE}/face`, `${PAGE}/document`, `${PAGE}/token`, `${PAGE}/loading`],
    because: 'The worker runs what others have written, and knows nothing of screens.',
  },
  {
    folder: `${PAGE}/course`,
    may: ['packages', `${PAGE}/document`, `${PAGE}/i18n`],
    libraries: [],
    because: 'What screens there are and what leads where is pure, and below whoever walks it.',
  },
  {
    folder: `${PAGE}/host`,
    may: ['packages', `${PAGE}/course`],
    libraries: [],
    because: 'What is fetched for frames alone brings nothing along that the first screen has.',
  },
  {
    folder: `${PAGE}/steps`,
    may: [
      'packages',
      ...['course', 'camera', 'document', 'face', 'i18n', 'models', 'passkeys', 'people'].map(
        (room) => `${PAGE}/${room}`,
      ),
    ],
    libraries: [],
    because: 'A step does not know which page it is part of, nor how a screen looks.',
  },
  {
    folder: `${PAGE}/flow`,
    may: [
      'packages',
      ...['course', 'camera', 'face', 'models', 'passkeys', 'people', 'steps', 'wallets'].map(
        (room) => `${PAGE}/${room}`,
      ),
    ],
    libraries: [],
    because: 'Below the screens nobody knows how they look.',
  },
  {
    folder: `${PAGE}/ui`,
    // A movement brings its own drawing.
    may: [`${PAGE}/course`, `${PAGE}/i18n`, `${PAGE}/document/kinds.ts`, `${PAGE}/face/movement/movement-looks.ts`],
    libraries: ['preact', 'preact/hooks', 'preact/jsx-runtime', 'uqr'],
    because: "A component gets a screen's data and a person's actions, and knows nothing of how they come about.",
  },
  {
    folder: 'apps/console/src',
    // The page and its part of the service share the form of what they say to each other.
    may: [
      ...['console/door', 'operations/console', 'review/console', 'screening/console', 'sessions/console'].map(
        (room) => `${SERVER}/${room}/views.ts`,
      ),
      'packages/contract/src/csv.ts',
      'packages/contract/src/limits.ts',
    ],
    libraries: ['preact', 'preact/hooks', 'preact/jsx-runtime', '@preact/signals', '@simplewebauthn/browser'],
    because: 'The console knows the service by its API alone.',
  },
  {
    folder: 'tools/demo/src',
    // The page and its part of the service share the form of what they say to each other.
    may: ['packages/sdk', 'tools/demo/server/check-view.ts', `${PAGE}/i18n`],
    because: 'The demo is a host: it has the SDK and no more.',
  },
];

/** Tests may reach what they try, and what all tests share; those of a package nothing of the applications. */
export const TESTS_OF_PACKAGES: Room = {
  folder: 'packages',
  may: ['packages', 'testing', 'apps/server/testing', 'apps/server/src/app.ts'],
  because:
    'The tests of a package need no application; those of the SDK try it on a real service, through its testing folder.',
};

/** Returns the rules of the folders inside a room of the server, then the rule of the room or of the files beside them. */
function roomsOf(name: string, below: readonly string[]): Room[] {
  const floors = ROOM_FLOORS[name] ?? [];
  const because = `Imports lead downhill, in the order of the floors in scripts/layers/rooms.ts: pass what is above ${name} as a parameter.`;
  const shared = SHARED_IN_ROOM.map((file) => `${SERVER}/${name}/${file}`);
  const inside = floors.flatMap((floor, index) =>
    floor.map((folder) => ({
      folder: `${SERVER}/${name}/${folder}`,
      may: ['packages', ...below, ...shared, ...pathsBelow(floors, index, `${name}/`)],
      because,
    })),
  );
  const folder = `${SERVER}/${name}`;
  return floors.length === 0
    ? [{ folder, may: ['packages', ...below], because }]
    : [...inside, { folder: `${folder}/*.ts`, may: ['packages', ...below, folder], because }];
}

function pathsBelow(floors: readonly (readonly string[])[], index: number, parent = ''): string[] {
  return floors.slice(0, index).flatMap((floor) => floor.map((name) => `${SERVER}/${parent}${name}`));
}
