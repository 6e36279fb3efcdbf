// Loads the library that reads certificates, only when there is one to be read: it takes most of a second.

export type X509 = typeof import('@peculiar/x509');

export async function loadX509(): Promise<X509> {
  // The library's container asks for it while it loads.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
