// The types of oidc-provider that the tests use. Its own types would bring forty packages.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    oidc: {
      provider: { Grant: new (of: { clientId: string; accountId: string }) => Grant };
      client?: { clientId: string };
      session?: { accountId?: string };
    };
  }

  interface Configuration {
    clients: readonly object[];
    jwks: { keys: readonly object[] };
    cookies: { keys: readonly string[] };
    ttl: Record<string, number>;
    pkce: { required(): boolean };
    claims: Record<string, readonly string[]>;
    conformIdTokenClaims: boolean;
    features: { devInteractions: { enabled: boolean } };
    interactions: { url(context: Context, interaction: { uid: string }): string };
    findAccount(context: Context, id: string): { accountId: string; claims(): object };
    loadExistingGrant(context: Context): Promise<Grant>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
