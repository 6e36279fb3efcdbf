// The example transcripts of OpenID4VP 1.0 (B.2.6.1, B.2.6.2), byte by byte.
import { expect, it } from 'vitest';
import { transcribeDcApi, transcribeRedirect } from './transcripts.ts';

const NONCE = 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA';
const THUMBPRINT = Buffer.from('4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047', 'hex');

it.each([
  [
    'by redirect',
    transcribeRedirect('x509_san_dns:example.com', NONCE, THUMBPRINT, 'https://example.com/response'),
    '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac',
  ],
  [
    'through the Digital Credentials API',
    transcribeDcApi('https://example.com', NONCE, THUMBPRINT),
    '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
  ],
])('matches the example: %s', (_, transcript, expected) => {
  expect(Buffer.from(transcript).toString('hex')).toBe(expected);
});
