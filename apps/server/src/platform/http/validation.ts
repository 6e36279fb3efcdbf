// Turns schema violations into sentences: where, what is wrong, what would be right.
import type { ErrorDetail } from '@limen/contract';
import type { FastifySchemaValidationError } from 'fastify';
import { AppError } from '../errors.ts';

const MAX_DETAILS = 20;
const CONTEXT_NAMES: Record<string, string> = { querystring: 'query', params: 'path', headers: 'header' };

export function validationError(violations: FastifySchemaValidationError[], context = 'body'): AppError {
  const root = CONTEXT_NAMES[context] ?? context;
  const details = violations.slice(0, MAX_DETAILS).map((violation) => describe(violation, root));
  const message = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new AppError('validation_failed', message, { details });
}

function describe({ instancePath, keyword, params, message }: FastifySchemaValidationError, root: string): ErrorDetail {
  const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : '';
  const path = root + `${instancePath}${missing}`.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  return { path, message: sentence(keyword, params) ?? message ?? 'is not valid' };
}

function sentence(keyword: string, params: Record<string, unknown>): string | undefined {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${withArticle([params['type']].flat().join(' or '))}`;
    case 'minLength':
      return params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} characters`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'minimum':
      return `must be ${params['limit']} or more`;
    case 'maximum':
      return `must be ${params['limit']} or less`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
    default:
      return undefined;
  }
}

function withArticle(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
