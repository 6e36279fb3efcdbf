// Opens the verifier of wallets: trust anchors, revocation checks and metrics.
import type { Context } from '../../../platform/context.ts';
import type { Outbound } from '../../../platform/outbound/guarded-fetch.ts';
import { createWalletProofs } from './proofs.ts';
import {
  type RequestCertificateSettings,
  readRequestCertificate,
  requireInForce,
  signerInForce,
} from './request-certificate.ts';
import { createIssuerOutbound, type RevocationChecks, RevocationLists } from './revocation-lists.ts';
import { createStatusLists } from './status-lists.ts';
import { createTrustFolder } from './trust/folder.ts';
import { createTrustListStore, startTrustRefresh } from './trust/lists.ts';
import { addTrustMetrics, createTrustedAnchors } from './trust/trusted-anchors.ts';

interface WalletSettings {
  dataDir: string;
  walletCertificate: RequestCertificateSettings | undefined;
  revocationChecks: RevocationChecks;
}

export function openWallets(
  { sealer, metrics, clock, log }: Pick<Context, 'sealer' | 'metrics' | 'clock' | 'log'>,
  { dataDir, walletCertificate, revocationChecks: checks }: WalletSettings,
  /** `origin`: of the launch page. `statusOutbound` replaces calls to issuers and authorities. */
  { origin, statusOutbound }: { origin: () => string; statusOutbound: Outbound | undefined },
) {
  const certificate = walletCertificate && readRequestCertificate(walletCertificate);
  if (certificate) requireInForce(certificate, clock.now());
  const folder = createTrustFolder(dataDir);
  const anchors = createTrustedAnchors({ folder, sealer, clock, log });
  const refresh = startTrustRefresh({ folder, store: createTrustListStore(dataDir), clock, log });
  const outbound = statusOutbound ?? createIssuerOutbound();
  const revocationLists = new RevocationLists({ checks, clock, outbound, filed: anchors.crls, log });
  const statusLists = createStatusLists({ clock, outbound, revocationLists });
  const wallets = createWalletProofs({
    anchors,
    statusLists,
    revocationLists,
    signer: () => signerInForce(certificate, clock),
    origin,
    clock,
    log,
  });
  const answers = "Wallets' answers, by what became of them.";
  metrics.addCounters('limen_wallet_proofs_total', answers, 'outcome', () => wallets.counts);
  const lists = 'Lists of revoked certificates that were fetched, by what became of them.';
  metrics.addCounters('limen_wallet_crls_total', lists, 'outcome', () => revocationLists.counts);
  addTrustMetrics(metrics, anchors, clock);
  if (certificate) {
    const until = 'Until the certificate that signs requests to wallets expires; negative once it has.';
    metrics.addGauge('limen_wallet_certificate_expires_seconds', until, [], async (gauge) =>
      gauge.set((certificate.notAfter - clock.now()) / 1000),
    );
  }
  return {
    wallets,
    async close() {
      await refresh.stop();
      anchors.close();
      await outbound.close();
    },
  };
}
