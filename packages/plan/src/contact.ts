// What a person may leave of themselves when they enrol, and the form it must have.

export const CONTACT_FIELDS = ['email', 'phone'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

/**
 * Deliberately loose. Sources of regular expressions with the flag `u`, because schemas want them as text.
 */
export const CONTACT_FORMS: Readonly<Record<ContactField, string>> = {
  email: '^[^\\s@\\p{Cc}]{1,64}@[^\\s@.\\p{Cc}][^\\s@\\p{Cc}]{0,187}$',
  phone: '^\\+?[0-9][0-9 ()./-]{4,30}$',
};
