// For the health check of an image, which has no curl: ends with 0 when the service answers, whatever scheme it has.
const { PORT = '8080', TLS_CERT } = process.env;
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // it asks itself, by an address that no certificate names
const url = `${TLS_CERT ? 'https' : 'http'}://127.0.0.1:${PORT}/health`;
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
