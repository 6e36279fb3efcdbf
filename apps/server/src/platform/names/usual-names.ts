// Names that fields have elsewhere: a client that writes dateOfBirth for birthDate gets the name that is known here. Spelling
// mistakes are left to the closest name.

/** By the name here; the words are in small letters, without any other character. */
export const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  reference: ['id', 'customerid', 'clientid', 'externalid', 'recordid', 'ref'],
  schema: ['type', 'entitytype', 'kind'],
  name: ['fullname', 'wholename', 'displayname', 'caption', 'companyname', 'legalname', 'entityname', 'vesselname'],
  firstName: ['givenname', 'givennames', 'forename', 'forenames', 'fname', 'first'],
  lastName: ['surname', 'familyname', 'secondname', 'lname', 'last'],
  aliases: ['alias', 'aka', 'akas', 'alsoknownas', 'othernames', 'alternativenames', 'altnames', 'weakalias'],
  birthDate: ['dob', 'dateofbirth', 'birthdate', 'birthday', 'born', 'birth', 'yearofbirth', 'birthyear'],
  countries: ['country', 'countrycode', 'countryofresidence', 'residence', 'jurisdiction', 'flag'],
  nationalities: ['nationality', 'citizenship', 'citizenships', 'countryofcitizenship'],
  identifiers: [
    ...['identifier', 'identification', 'documentnumber', 'passport', 'passportnumber', 'idnumber', 'nationalid'],
    ...['taxid', 'taxnumber', 'registrationnumber', 'imo', 'imonumber', 'lei', 'leicode'],
  ],
  addresses: ['address', 'fulladdress', 'street', 'streetaddress'],
  dataset: ['list', 'collection', 'datasets'],
  scoreThreshold: ['threshold', 'minscore', 'cutoff'],
  callbackUrl: ['callback', 'webhook', 'webhookurl'],
  callback: ['webhook', 'webhookurl', 'callbackurl', 'notificationurl'],
  ageThreshold: ['age', 'minage', 'minimumage', 'threshold'],
  locale: ['language', 'lang'],
  metadata: ['customdata', 'clientdata'],
  redirectUrl: ['returnurl', 'successurl', 'redirecturi'],
  redirectURL: ['returnurl', 'successurl', 'redirecturi'],
  transactionID: ['correlationid', 'externalid'],
};
