// Loads the library that writes certificates, only when one is to be written: it takes as long as a whole other command.

export type X509 = typeof import('@peculiar/x509');

/**
 * The library's container refuses to load unless `Reflect` can be asked for types of constructor parameters. None of the
 * library's classes has any, so "there are none" is the right answer, and it is asked only while the module loads.
 */
const NO_METADATA = { getMetadata: () => undefined, getOwnMetadata: () => undefined };

let loaded: Promise<X509> | undefined;

export function loadX509(): Promise<X509> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<X509> {
  if ('getMetadata' in Reflect) return import('@peculiar/x509');
  Object.assign(Reflect, NO_METADATA);
  try {
    return await import('@peculiar/x509');
  } finally {
    for (const name of Object.keys(NO_METADATA)) Reflect.deleteProperty(Reflect, name);
  }
}
