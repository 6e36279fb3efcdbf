// Parses the text of settings. Each parser throws a sentence that names the expected form.
import { isIP } from 'node:net';
import { ORIGIN_NEEDED, readOrigin } from '../api-keys/embed-origins.ts';
import { ROLES, type Role } from '../base/roles.ts';
import { readPostgresAddress } from '../database/postgres-address.ts';
import type { RateLimits } from '../http/limits/token-buckets.ts';
import { isLoopback } from '../outbound/classify-address.ts';
import { parseMasterKey } from '../sealing/master-key.ts';

export type Parser<T> = (text: string) => T;

export function integer(minimum: number, maximum: number): Parser<number> {
  return number(/^-?\d+$/, minimum, maximum, 'a whole number');
}

export function decimal(minimum: number, maximum: number): Parser<number> {
  return number(/^-?\d+(\.\d+)?$/, minimum, maximum, 'a number');
}

function number(form: RegExp, minimum: number, maximum: number, what: string): Parser<number> {
  return (text) => {
    const value = form.test(text) ? Number(text) : Number.NaN;
    if (!(value >= minimum && value <= maximum)) throw new Error(`must be ${what} from ${minimum} to ${maximum}`);
    return value;
  };
}

export const boolean: Parser<boolean> = (text) => {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw new Error('must be true or false');
};

export function oneOf<const T extends string>(...values: T[]): Parser<T> {
  return (text) => {
    const match = values.find((value) => value === text);
    if (match === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return match;
  };
}

export function setOf<const T extends string>(...values: T[]): Parser<ReadonlySet<T>> {
  const parseOne = oneOf(...values);
  return (text) => {
    try {
      return new Set(splitList(text).map(parseOne));
    } catch {
      throw new Error(`must be a comma-separated list of ${values.join(', ')}`);
    }
  };
}

/** Parses a set. `none` is the empty set. */
export function setOrNone<const T extends string>(...values: T[]): Parser<ReadonlySet<T>> {
  const parseSet = setOf(...values);
  return (text) => {
    try {
      return text === 'none' ? new Set() : parseSet(text);
    } catch {
      throw new Error(`must be none, or a comma-separated list of ${values.join(', ')}`);
    }
  };
}

/** Parses OpenTelemetry's `name=value,name=value`, with percent-encoded values. */
export const headerList: Parser<Readonly<Record<string, string>>> = (value) => {
  const pairs = splitList(value).map((part) => /^([\w-]+)=([\x21-\x7e]+)$/.exec(part));
  try {
    return Object.fromEntries(pairs.map((pair) => [pair![1]!.toLowerCase(), decodeURIComponent(pair![2]!)]));
  } catch {
    throw new Error('must be name=value pairs with commas between them');
  }
};

export const text: Parser<string> = (value) => value;

export function textOfAtLeast(characters: number): Parser<string> {
  return (value) => {
    if (!/^[\x21-\x7e]+$/.test(value) || value.length < characters) {
      throw new Error(`must be at least ${characters} printable ASCII characters without spaces`);
    }
    return value;
  };
}

/** Parses one value, or two while one replaces the other. */
export function oneOrTwo<T>(parse: Parser<T>): Parser<readonly [T, ...T[]]> {
  return (value) => {
    const parts = splitList(value);
    if (parts.length > 2) throw new Error('must be one value, or two with a comma between them');
    return parts.map(parse) as [T, ...T[]];
  };
}

/** Parses a web address to which paths are added, without a trailing slash. */
export const webAddress: Parser<string> = (value) => pageAddress(value).replace(/\/$/, '');

/** Parses the web address of a page. A trailing slash is part of its path. */
export const pageAddress: Parser<string> = (value) => {
  const url = parseWebAddress(value);
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('must be an address without credentials, query or fragment');
  }
  return url.href;
};

/** Parses the address of `/console`. Passkeys and cookies need a host name, and https except on localhost. */
export const consoleAddress: Parser<string> = (value) => {
  const address = webAddress(value);
  const { protocol, hostname } = new URL(address);
  if (!address.endsWith('/console')) throw new Error('must end with /console');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw new Error('must have a host name, not a numeric address');
  if (protocol !== 'https:' && hostname !== 'localhost') throw new Error('must begin with https:// beyond localhost');
  return address;
};

/** Parses an address that is compared or called unchanged, with its trailing slash or query. */
export const exactWebAddress: Parser<string> = (value) => {
  const url = parseWebAddress(value);
  if (url.username || url.password || url.hash) throw new Error('must be an address without credentials or fragment');
  return value;
};

function parseWebAddress(value: string): URL {
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw new Error('must be an http or https address');
  return url;
}

/** Parses the address of an identity provider, whose replies decide who signs in. So it needs https, except on this machine. */
export const providerAddress: Parser<string> = (value) => {
  const address = exactWebAddress(value);
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:' && !isLoopback(hostname)) throw new Error('must begin with https:// beyond this machine');
  return address;
};

/** Parses `limen-admins=admin,fraud-team=reviewer`, in this order. The last `=` separates, because names of groups may contain one. */
export const groupRoles: Parser<ReadonlyMap<string, Role>> = (value) => {
  const parseRole = oneOf(...ROLES);
  try {
    const pairs = splitList(value).map((pair): [string, Role] => {
      const [, group = '', role = ''] = /^(.*)=(.*)$/.exec(pair) ?? [];
      if (group.trim() === '') throw new Error('no group');
      return [group.trim(), parseRole(role.trim())];
    });
    return new Map(pairs);
  } catch {
    throw new Error(`must look like limen-admins=admin,fraud-team=reviewer, with roles among ${ROLES.join(', ')}`);
  }
};

export const postgresAddress: Parser<string> = (value) => {
  readPostgresAddress(value);
  return value;
};

export const keyHolderAddresses: Parser<readonly string[]> = (value) => splitList(value).map(keyHolderAddress);

/** Requires `tls://` instead of a web scheme, because only a key-holder answers there. */
const keyHolderAddress: Parser<string> = (value) => {
  const url = URL.parse(value);
  const isBare = url?.username === '' && url.password === '' && !url.search && !url.hash && url.pathname.length <= 1;
  if (url?.protocol !== 'tls:' || !url.hostname || !url.port || !isBare) {
    throw new Error('must be an address such as tls://127.0.0.1:8443');
  }
  return `tls://${url.host}`;
};

export const masterKey: Parser<Buffer> = (value) => {
  const key = parseMasterKey(value);
  if (!key) throw new Error('must be 32 bytes in base64 (make one with: openssl rand -base64 32)');
  return key;
};

/** Parses `true`, or proxy addresses and networks. A number of hops would not tell a proxy from a client that imitates one. */
export const proxies: Parser<boolean | string[]> = (value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  const addresses = splitList(value);
  if (addresses.every(isAddressOrNetwork)) return addresses;
  const ifNumber = /^\d+$/.test(value) ? ', and not the number of proxies' : '';
  throw new Error(
    `must be true, false, or the addresses or networks of the proxies in front, such as 10.0.0.40 or 10.0.0.0/8${ifNumber}`,
  );
};

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Parses `key=100:200,address=50`: requests per second, and optionally a burst (by default twice the rate). */
export const rateLimits: Parser<RateLimits> = (value) => {
  const limits: RateLimits = { key: undefined, address: undefined };
  for (const part of splitList(value)) {
    const match = /^(key|address)=(\d{1,6})(?::(\d{1,7}))?$/.exec(part);
    const perSecond = Number(match?.[2]);
    const burst = match?.[3] === undefined ? perSecond * 2 : Number(match[3]);
    if (!match || perSecond < 1 || burst < 1) {
      throw new Error('must look like key=100:200,address=50 (requests per second, optionally :burst)');
    }
    limits[match[1] as 'key' | 'address'] = { perSecond, burst };
  }
  return limits;
};

export const frameAncestors: Parser<string[]> = (value) =>
  value
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((text) => {
      const origin = readOrigin(text);
      if (origin === undefined) throw new Error(ORIGIN_NEEDED);
      return origin;
    });

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}
