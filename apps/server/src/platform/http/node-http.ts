// Node's HTTP module without all that it offers: an `import` of it reads every name, and with `WebSocket` comes all of fetch,
// a twentieth of what a start takes. Types are imported from `node:http` as ever.
export const { createServer, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
