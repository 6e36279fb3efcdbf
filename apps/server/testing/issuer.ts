// A real identity provider on loopback. It signs every visitor in at once as the chosen account.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

export interface Account {
  sub: string;
  preferred_username?: string;
  groups?: string[];
}

export interface Issuer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Account for the next sign-ins; undefined denies them */
  account: Account | undefined;
  /** Signs claims with the provider's key. */
  sign(claims: JWTPayload): Promise<string>;
  /** Reply of the token endpoint, if overridden */
  answerTokens: (() => Promise<object>) | undefined;
}

const CLIENT = { clientId: 'limen-console', clientSecret: 'a secret of the tests' };

interface IssuerOptions {
  /** Read at the first sign-in, when the console is listening */
  redirectUri: () => string;
  /** Whether only the user info contains the groups, as with many providers */
  hidesGroups?: boolean;
  atEnd: (stop: () => Promise<unknown>) => unknown;
}

export async function startIssuer({ redirectUri, hidesGroups = false, atEnd }: IssuerOptions): Promise<Issuer> {
  const accounts = new Map<string, Account>();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'test' };
  let made: Provider | undefined;
  const issuer: Issuer = {
    url,
    ...CLIENT,
    account: undefined,
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(privateKey),
    answerTokens: undefined,
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    made ??= makeProvider();
    if (request.url?.startsWith('/interaction/')) {
      const { account } = issuer;
      if (account) accounts.set(account.sub, account);
      const result = account ? { login: { accountId: account.sub } } : { error: 'access_denied' };
      return made.interactionFinished(request, response, result);
    }
    if (request.url === '/token' && issuer.answerTokens) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await issuer.answerTokens()));
      return;
    }
    await made.callback()(request, response);
  }

  function makeProvider(): Provider {
    return new Provider(url, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [redirectUri()],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ['only in tests'] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      pkce: { required: () => true },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
      conformIdTokenClaims: hidesGroups,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...accounts.get(id), sub: id }) }),
      async loadExistingGrant(context) {
        const grant = new context.oidc.provider.Grant({
          clientId: context.oidc.client!.clientId,
          accountId: context.oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
  }

  return issuer;
}

/** Follows the redirects as a browser would. Returns the final address. */
export async function visitIssuer(issuer: Issuer, from: string): Promise<URL> {
  const jar = new Map<string, string>();
  let address = new URL(from);
  while (address.origin === issuer.url) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(address, { redirect: 'manual', headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
    }
    const location = reply.headers.get('location');
    if (location === null) throw new Error(`the issuer stopped with ${reply.status}`);
    address = new URL(location, address);
  }
  return address;
}
