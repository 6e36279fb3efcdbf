import { CONTACT_FORMS } from '@limen/plan';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContact } from './contact-step.ts';

test.each(['name@example.org', 'a.b+c@mail.example.co.uk', 'имя@пример.рф'])('%s is an address', (email) => {
  expect(readContact({ email: ` ${email} ` })).toEqual({ contact: { email }, faults: [] });
});

test.each(['name', 'name@', '@example.org', 'a@b', 'a b@example.org', 'a@example..org', `${'a'.repeat(65)}@b.org`])(
  '%s is none',
  (email) => expect(readContact({ email })).toEqual({ contact: {}, faults: ['email'] }),
);

test.each([
  ['+46 70 174 06 05', '+46 70 174 06 05'],
  ['0046701740605', '+46701740605'],
  [' +1 (555) 010-9999 ', '+1 (555) 010-9999'],
])('%s is a number', (phone, plain) =>
  expect(readContact({ phone })).toEqual({ contact: { phone: plain }, faults: [] }),
);

test.each(['070 174 06 05', '+46', '+1234567890123456', '+46 70 call me', '+0 123 456 789'])('%s is none', (phone) => {
  expect(readContact({ phone }).faults).toEqual(['phone']);
});

test('what is empty is left out', () => {
  expect(readContact({ email: '  ', phone: '' })).toEqual({ contact: {}, faults: [] });
  expect(readContact({})).toEqual({ contact: {}, faults: [] });
});

test('whatever is typed, what is given is what the service takes', () => {
  const [email, phone] = [new RegExp(CONTACT_FORMS.email, 'u'), new RegExp(CONTACT_FORMS.phone, 'u')];
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string()), fc.string(), (one, other) => {
      const { contact } = readContact({ email: one, phone: `+46${other}` });
      return (!contact.email || email.test(contact.email)) && (!contact.phone || phone.test(contact.phone));
    }),
  );
});
