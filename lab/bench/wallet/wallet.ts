// `npm run bench:wallet`: verified wallet responses per second and core, compared with the bare
// verification of the same signatures. Both exclude the signer's certificate, which is verified
// once and cached.
import { randomBytes, verify, X509Certificate } from 'node:crypto';
import {
  createRequest,
  PROFILES,
  type ProfileId,
  type Protocol,
  type RequestState,
  verifyResponse,
} from '@limen/wallet';
import { answerRequest, createTestIssuer, issueAttestation } from '@limen/wallet/test-issuer';
import { encodeCbor } from '../../../packages/wallet/src/cbor/codec.ts';
import { encodeDer } from '../../../packages/wallet/src/cose/message.ts';
import { encodeDeviceAuthentication } from '../../../packages/wallet/src/mdoc/device-auth.ts';
import { readDeviceResponse } from '../../../packages/wallet/src/mdoc/device-response.ts';
import { readSecurityObject } from '../../../packages/wallet/src/mdoc/mobile-security-object.ts';
import { transcribeState } from '../../../packages/wallet/src/requests/request-state.ts';
import { openAnnexC, openOpenid4vp } from '../../../packages/wallet/src/responses/verify-response.ts';
import { aim, median, readCpuMs } from '../shared/figures.ts';
import { readArguments } from '../shared/read-arguments.ts';

readArguments({
  name: 'bench:wallet',
  does: "wallets' answers verified per second and core, beside the bare verification of the two signatures of each",
  takes: 'about twenty seconds',
  options: {},
});

const WAYS: readonly [ProfileId, Protocol][] = [
  ['eu_age', 'redirect-unsigned'],
  ['eu_age', 'org-iso-mdoc'],
  ['mdl', 'org-iso-mdoc'],
  ['mdl', 'openid4vp-v1-unsigned'],
];
/** A few milliseconds of work, alternating, so that disturbances affect both. */
const AT_ONCE = 20;
const TURNS = 60;
/** Warm-up, because the runtime interprets code at first. */
const WARM_UP = 3000;
const LEAST_SHARE = 0.5;
/** On P-256. */
const SCALAR_BYTES = 32;
const ORIGIN = 'https://age.example';

for (const [profile, protocol] of WAYS) await measure(profile, protocol);

async function measure(profile: ProfileId, protocol: Protocol): Promise<void> {
  const now = new Date();
  const issuer = await createTestIssuer({ profile, now });
  const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now });
  const options = { profile, protocol, threshold: 18, origin: ORIGIN, responseUri: `${ORIGIN}/answer` };
  const { request, state } = await createRequest({ ...options, entropy: randomBytes(64) });
  const { fields } = await answerRequest(request, attestation, { origin: ORIGIN });
  const checks = { anchors: [issuer.anchor], now, acceptTestIssuers: true };
  const verifyWhole = async () => {
    const verdict = await verifyResponse(state, fields, checks);
    if (!verdict.ok) throw new Error(verdict.refusal);
  };
  const verifyBare = prepareBare(state, fields, issuer.chain[0]!);
  for (let n = 0; n < WARM_UP; n++) await verifyWhole();
  const times: { whole: number[]; bare: number[] } = { whole: [], bare: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    times.whole.push(await timeEach(verifyWhole));
    times.bare.push(await timeEach(verifyBare));
  }
  const [whole, bare] = [median(times.whole), median(times.bare)];
  const share = bare / whole;
  console.log(
    `${`${profile}, ${protocol}`.padEnd(30)} ${perSecond(whole)} answers/s a core; bare: ${perSecond(bare)}; ${(100 * share).toFixed(0)} % of it, ${aim(share >= LEAST_SHARE, '50 %')}`,
  );
}

/** CPU time of one, in milliseconds. */
async function timeEach(run: () => Promise<void> | void): Promise<number> {
  const from = readCpuMs();
  for (let n = 0; n < AT_ONCE; n++) await run();
  return (readCpuMs() - from) / AT_ONCE;
}

function perSecond(ms: number): string {
  return (1000 / ms).toFixed(0).padStart(6);
}

/** Signatures of the security object and of the device, in the fastest form. */
function prepareBare(state: RequestState, fields: Record<string, unknown>, signerDer: Uint8Array): () => void {
  const profile = PROFILES[state.profile];
  const transcript = transcribeState(state);
  const response =
    state.handover.kind === 'annex_c'
      ? openAnnexC(fields, state.answerKey!, transcript)
      : openOpenid4vp(fields, state.answerKey);
  const { issuerAuth, deviceAuth, deviceNamespaces, docType } = readDeviceResponse(response, profile);
  const { deviceKey } = readSecurityObject(issuerAuth.payload!, profile);
  const signed = (header: Uint8Array, payload: Uint8Array) =>
    encodeCbor(['Signature1', header, new Uint8Array(0), payload]);
  const ofDevice = encodeDeviceAuthentication(transcript, docType, deviceNamespaces);
  const both = [
    {
      bytes: signed(issuerAuth.protectedBytes, issuerAuth.payload!),
      key: new X509Certificate(signerDer).publicKey,
      signature: encodeDer(issuerAuth.proof, SCALAR_BYTES)!,
    },
    {
      bytes: signed(deviceAuth.message.protectedBytes, ofDevice),
      key: deviceKey.key,
      signature: encodeDer(deviceAuth.message.proof, SCALAR_BYTES)!,
    },
  ];
  return () => {
    for (const { bytes, key, signature } of both)
      if (!verify('sha256', bytes, key, signature)) throw new Error('A signature is wrong.');
  };
}
