// Loads the library that writes certificates, only when one is to be written: it takes as long as a whole other command.

export type X509 = typeof import('@peculiar/x509');

export async function loadX509(): Promise<X509> {
  // The library's container asks for it while it loads.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
