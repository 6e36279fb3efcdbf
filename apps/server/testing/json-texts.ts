// Unusual JSON texts: numbers of any size, duplicate keys, escapes and white space.
import fc from 'fast-check';

const space = fc.constantFrom('', '', '', ' ', '\n', '\t \r\n');
const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`));
const whole = fc.oneof(
  fc.constantFrom('0', '-0', '9007199254740993', '-9223372036854775808', '18446744073709551615'),
  fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...'123456789'), digits(40)).map((parts) => parts.join('')),
);
const number = fc
  .tuple(
    whole,
    fc.option(digits(20), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits(3)), { nil: undefined }),
  )
  .map(
    ([start, fraction, exponent = []]) => `${start}${fraction === undefined ? '' : `.${fraction}`}${exponent.join('')}`,
  );

const special = fc.constantFrom(
  ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0041', '\\u00E9', '\\u00e9', '\\u0000', '\\u2028'],
  ...['\\ud83d\\ude00', '\\uD800', '{', '}', '[', ',', ':', '\u2028', '\ufeff', '$&', '$1', '😀'],
);
const plain = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text).slice(1, -1));
const string = fc.array(fc.oneof(special, plain), { maxLength: 4 }).map((pieces) => `"${pieces.join('')}"`);
const key = fc.oneof(string, fc.constantFrom('"2"', '"10"', '"1"', '"metadata"', '"a"', '"a"', '""'));

const { object } = fc.letrec<{ value: string; array: string; object: string }>((tie) => {
  const list = (item: fc.Arbitrary<string>, open: string, close: string) =>
    fc.tuple(fc.array(item, { maxLength: 5 }), space).map(([items, end]) => `${open}${items.join(',')}${end}${close}`);
  const around = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(''));
  const member = fc.tuple(around(key), around(tie('value'))).map((pair) => pair.join(':'));
  return {
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      string,
      fc.constantFrom('true', 'false', 'null'),
      tie('array'),
      tie('object'),
    ),
    array: list(around(tie('value')), '[', ']'),
    object: list(member, '{', '}'),
  };
});

/** The text of an object, without names that are always refused and that the generator prefers. */
export const anyObjectText: fc.Arbitrary<string> = object.filter(
  (text) => !/__proto__|constructor|prototype/.test(text),
);
