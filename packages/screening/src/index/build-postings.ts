// Which names a token is in: counted, summed up, filled in.
import { NAME_SPARSE } from './name-flags.ts';
import { OTHERS_SIZE, writeOthers } from './posting-others.ts';
import { allocateSection, type IndexSections } from './screening-index.ts';

type Names = Pick<IndexSections, 'nameTokens' | 'nameTokenOffsets' | 'nameFlags'>;

export function buildPostings(
  names: Names,
  tokens: number,
): Pick<IndexSections, 'postings' | 'postingOffsets' | 'postingOthers'> {
  const { nameTokens, nameTokenOffsets: offsets, nameFlags } = names;
  const count = offsets.length - 1;
  const postingOffsets = allocateSection('postingOffsets', tokens + 1);
  const lastName = new Uint32Array(tokens); // name + 1, so that a token repeated inside a name is posted once
  for (let name = 0; name < count; name += 1) {
    for (let at = offsets[name]!; at < offsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (lastName[token] === name + 1) continue;
      lastName[token] = name + 1;
      postingOffsets[token + 1]! += 1;
    }
  }
  for (let token = 0; token < tokens; token += 1) postingOffsets[token + 1]! += postingOffsets[token]!;
  const postings = allocateSection('postings', postingOffsets[tokens]!);
  const postingOthers = allocateSection('postingOthers', OTHERS_SIZE * postings.length);
  const next = postingOffsets.slice(0, tokens);
  lastName.fill(0);
  for (let name = 0; name < count; name += 1) {
    for (let at = offsets[name]!; at < offsets[name + 1]!; at += 1) {
      const token = nameTokens[at]!;
      if (lastName[token] === name + 1) continue;
      lastName[token] = name + 1;
      postings[next[token]!] = name;
      writeOthers(postingOthers, next[token]!, names, name, token, (nameFlags[name]! & NAME_SPARSE) !== 0);
      next[token]! += 1;
    }
  }
  return { postings, postingOffsets, postingOthers };
}
