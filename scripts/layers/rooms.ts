// The rooms of the repository and their allowed imports, by folder.

export interface Room {
  /** A folder, from the root. `*` matches one name, and each match is a separate room. */
  folder: string;
  /** Other folders that it may import, besides the packages in `BELOW_ALL`. */
  may: readonly string[];
  /** Allowed libraries. Default: any. */
  libraries?: readonly string[];
  /** Reason for the rule, shown with violations. */
  because: string;
}

const SERVER = 'apps/server/src';
const PAGE = 'apps/launch/src';

/** The server from bottom to top. A room may import lower floors, but not its own. */
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
/** Folders inside a room from bottom to top. Files next to them connect them. */
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
  sessions: [['lifecycle'], ['risk', 'proofs'], ['device'], ['host'], ['age', 'verification', 'console', 'cli']],
  operations: [['start', 'backup', 'data-keys', 'front-door', 'console'], ['doctor']],
};
/** Files of a room that its folders may import. */
const SHARED_IN_ROOM = ['limits.ts', 'settings.ts', 'tables.ts'];

/** Packages at the bottom, which know nothing of their users. */
const BELOW_ALL = ['packages/plan', 'packages/contract'];

const PAGE_WITH = (...rooms: string[]) => ['packages', ...rooms.map((name) => `${PAGE}/${name}`)];

/** The first match counts. Folders without an entry may use everything. */
export const ROOMS: readonly Room[] = [
  room('packages/plan/src', [], 'The plan has no dependencies: it runs wherever the protocol is spoken.', []),
  room('packages/contract/src', ['packages/plan'], 'The contract knows the plan and nothing else of the project.'),
  room('packages/sdk/src', BELOW_ALL, 'The SDK is published: it knows the plan and the contract alone.'),
  room('packages/token/shared', [], 'The shared part of a face token knows none of its three roles.'),
  room(
    'packages/token/*',
    ['packages/token/shared'],
    'Device, evaluator and key-holder trust each other with nothing.',
  ),
  room('packages/wallet/test-issuer', ['packages/wallet/src'], 'The test issuer knows the verifier, not the reverse.'),
  room('packages/wallet/src', ['packages/p256'], 'The verifier of wallets knows keys on P-256 and no more.'),
  room('packages/inference/src', ['packages/face-models'], 'The runtime of the models reads their files, no more.', []),
  room('packages/face-geometry/src', ['packages/face-models'], 'Geometry knows neither models nor pages.'),
  room(
    'packages/light/src',
    ['packages/plan', 'packages/face-geometry'],
    'The analysis of light sees frames and the colors of the plan, and neither models nor pages.',
    [],
  ),
  room('packages/*/src', ['packages/plan'], 'Packages are below the applications and do not import each other.'),
  room(
    `${SERVER}/faces/keyholder`,
    [`${SERVER}/platform`, `${SERVER}/faces/models/match-threshold.ts`, 'packages'],
    'The key-holder may run on a machine of its own: of the service it knows only how to talk to it.',
  ),
  ...SERVER_FLOORS.flatMap((floor, index) => floor.flatMap((name) => roomsOf(name, pathsBelow(SERVER_FLOORS, index)))),
  room(`${PAGE}/{face,signals}`, ['packages'], 'Frames, models and the browser come as parameters.', []),
  room(
    `${PAGE}/{i18n,loading,camera,passkeys,wallets}`,
    PAGE_WITH('loading'),
    'These know the browser and nothing of the page.',
    ['@simplewebauthn/browser'],
  ),
  room(
    `${PAGE}/{document,token,people}`,
    PAGE_WITH('face', 'loading'),
    'These work next to the face and below the models’ worker.',
    ['zxing-wasm/reader', 'zxing-wasm/reader/zxing_reader.wasm?url', 'virtual:seal.wasm?url'],
  ),
  room(`${PAGE}/models`, PAGE_WITH('face', 'document', 'token', 'loading'), 'The worker knows nothing of screens.'),
  room(`${PAGE}/course`, PAGE_WITH('document', 'i18n'), 'Which screens there are is pure, below its users.', []),
  room(`${PAGE}/host`, PAGE_WITH('course'), 'A part for frames alone imports nothing that the first screen has.', []),
  room(
    `${PAGE}/steps`,
    PAGE_WITH('course', 'camera', 'document', 'face', 'i18n', 'models', 'passkeys', 'people'),
    'A step does not know which page it is part of, nor how a screen looks.',
    [],
  ),
  room(
    `${PAGE}/flow`,
    PAGE_WITH('course', 'camera', 'face', 'models', 'passkeys', 'people', 'steps', 'wallets'),
    'Nothing below the screens knows how they look.',
    [],
  ),
  room(
    `${PAGE}/ui`,
    // A movement includes its drawing.
    ['course', 'i18n', 'document/kinds.ts', 'face/movement/movement-looks.ts'].map((path) => `${PAGE}/${path}`),
    "A component gets a screen's data and a person's actions, and knows nothing of how they come about.",
    ['preact', 'preact/hooks', 'preact/jsx-runtime', 'uqr'],
  ),
  room(
    'apps/console/src',
    // The page and its part of the service share the form of their replies.
    [
      ...['console/door', 'operations/console', 'review/console', 'screening/console', 'sessions/console'].map(
        (folder) => `${SERVER}/${folder}/views.ts`,
      ),
      'packages/contract/src/csv.ts',
      'packages/contract/src/limits.ts',
    ],
    'The console knows the service by its API alone.',
    ['preact', 'preact/hooks', 'preact/jsx-runtime', '@preact/signals', '@simplewebauthn/browser'],
  ),
  room(
    'tools/demo/src',
    ['packages/sdk', 'tools/demo/server/check-view.ts', `${PAGE}/i18n`],
    'The demo is a host: it has the SDK and no more.',
  ),
];

/** Tests may import their subject and test helpers. Tests of packages exclude applications. */
export const TESTS_OF_PACKAGES = room(
  'packages',
  ['packages', 'testing', 'apps/server/testing', 'apps/server/src/app.ts'],
  'The tests of a package need no application; those of the SDK try it on a real service, through its testing folder.',
);

function room(folder: string, may: readonly string[], because: string, libraries?: readonly string[]): Room {
  return { folder, may, because, ...(libraries && { libraries }) };
}

/** Returns the rules of a server room's folders, then of the room or its files. */
function roomsOf(name: string, below: readonly string[]): Room[] {
  const floors = ROOM_FLOORS[name] ?? [];
  const because = (folder: string) =>
    `Imports lead down in the order of scripts/layers/rooms.ts. Pass the things above ${folder} as parameters.`;
  const shared = SHARED_IN_ROOM.map((file) => `${SERVER}/${name}/${file}`);
  const may = ['packages', ...below];
  const inside = floors.flatMap((floor, index) =>
    floor.map((one) =>
      room(
        `${SERVER}/${name}/${one}`,
        [...may, ...shared, ...pathsBelow(floors, index, `${name}/`)],
        because(`${name}/${one}`),
      ),
    ),
  );
  const folder = `${SERVER}/${name}`;
  return floors.length === 0
    ? [room(folder, may, because(name))]
    : [...inside, room(`${folder}/*.ts`, [...may, folder], because(name))];
}

function pathsBelow(floors: readonly (readonly string[])[], index: number, parent = ''): string[] {
  return floors.slice(0, index).flatMap((floor) => floor.map((name) => `${SERVER}/${parent}${name}`));
}
