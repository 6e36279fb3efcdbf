import { CONTACT_FORMS } from '@limen/plan';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContact } from './contact-step.ts';

test.each(['name@example.org', 'a.b+c@mail.example.co.uk', 'имя@пример.рф'])('accepts the address %s', (email) => {
  expect(readContact({ email: ` ${email} ` })).toEqual({ contact: { email }, faults: [] });
});

test.each(['name', 'name@', '@example.org', 'a@b', 'a b@example.org', 'a@example..org', `${'a'.repeat(65)}@b.org`])(
  'rejects the address %s',
  (email) => expect(readContact({ email })).toEqual({ contact: {}, faults: ['email'] }),
);

test.each([
  ['+46 70 174 06 05', '+46 70 174 06 05'],
  ['0046701740605', '+46701740605'],
  [' +1 (555) 010-9999 ', '+1 (555) 010-9999'],
])('accepts the number %s', (phone, plain) =>
  expect(readContact({ phone })).toEqual({ contact: { phone: plain }, faults: [] }),
);

test.each(['070 174 06 05', '+46', '+1234567890123456', '+46 70 call me', '+0 123 456 789'])(
  'rejects the number %s',
  (phone) => {
    expect(readContact({ phone }).faults).toEqual(['phone']);
  },
);

test('leaves out empty fields', () => {
  expect(readContact({ email: '  ', phone: '' })).toEqual({ contact: {}, faults: [] });
  expect(readContact({})).toEqual({ contact: {}, faults: [] });
});

test('returns only contacts that the service accepts, for any input', () => {
  const [email, phone] = [new RegExp(CONTACT_FORMS.email, 'u'), new RegExp(CONTACT_FORMS.phone, 'u')];
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string()), fc.string(), (typedEmail, digits) => {
      const { contact } = readContact({ email: typedEmail, phone: `+46${digits}` });
      return (!contact.email || email.test(contact.email)) && (!contact.phone || phone.test(contact.phone));
    }),
  );
});
