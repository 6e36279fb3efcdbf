// Health check for an image without curl: exits with 0 if the service answers, by http or https.
const { PORT = '8080', TLS_CERT } = process.env;
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // It calls itself at an address that no certificate names.
const url = `${TLS_CERT ? 'https' : 'http'}://127.0.0.1:${PORT}/health`;
const isHealthy = await fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isHealthy ? 0 : 1);
