// Attacks that are known to succeed, documented as plainly as those that do not.

interface KnownToPass {
  attack: string;
  why: string;
  against: string;
}

export const KNOWN_TO_PASS: readonly KnownToPass[] = [
  {
    attack: 'A portrait animated in depth and fed to the page as its camera',
    why: 'It does what it is asked: [our own](how-a-check-works.md#what-gets-through), made of 500 lines and one photo, passes the movements most of the time. An animation that knows nothing of the screen’s colors is not lit as drawn, and at most reviewed; one that declines them, floods the picture until nothing can be decided, starves the page of frames until too few come to a color, or is [relit by its mesh](how-a-check-works.md#the-light-of-the-screen) passes. Expect a video made to order, a face swap and a mask to pass as well.',
    against: '`light: "required"`, signs of virtual cameras, the document step, a passkey, a human reviewer',
  },
  {
    attack: 'A page whose code was changed, or a program in its place',
    why: 'A browser cannot prove its camera or its code. A program that takes as long as a person would and keeps to the plan can answer what it likes. The scripted device of this book does just that wherever it shows that the honest way works, and gets `ALLOW`. It has to send browser data that look clean, wait some two seconds by the service’s clock for each check, tell no entry of its log before its time, and make up another rhythm for each. Times drawn at random are enough for that, and so is moving each by a few milliseconds. It may finish `BURST_PER_MINUTE` checks a minute for each of its addresses and API keys, and as many as it likes where the service does not know the addresses of its clients.',
    against:
      '`TRUST_PROXY`, so that bursts count; the document step raises the price; a native app can add its platform’s proofs',
  },
  {
    attack: 'Age keys that a program earned',
    why: 'Such a program is offered an [age key](proofs.md#age-keys) after each check: at most 10 in an hour from one address and 1,000 with one API key, each good for ten sessions a day. A key counts as what the program claimed, such as a document with its face. By default it counts at the customer whose host earned it and nowhere else; any public page of a customer that accepts age keys will do. With `AGE_KEYS=all` it also counts at every host that asks for `ageKeyFrom: "any"`. A farm below the limits is not noticed, and its keys can be lent or sold.',
    against:
      '`AGE_KEYS=off`, a small `ageKeyMaxDays`, `ageKeyStrength: "wallet"`; the alert `LimenAgeKeysLimited`, then `limen age-keys revoke`',
  },
  {
    attack: 'A link forwarded before anybody opened it',
    why: 'The first to open a launch link holds the session. An older person can do another person’s age check, and a person tricked into opening an attacker’s link signs in to a session that the attacker began at your host.',
    against:
      'Sign in only the browser that brings both your nonce and the cookie from the beginning, never on the webhook alone ([how](sign-in.md#binding-a-session-to-the-browser-that-began-it))',
  },
  {
    attack: 'A photo of an enrolled person, on an unknown device',
    why: 'A face can be photographed. The sign-in succeeds with the flag `NEW_DEVICE` and is `REVIEW` at most.',
    against: 'Do not act on `SUCCESS` alone; ask for a passkey',
  },
  {
    attack: 'A service that is taken over while it runs',
    why: 'It can serve another page, and it can learn the key of the face tokens from some 700 answers of the key-holder ([token](face-tokens.md#proven-argued-not-protected)).',
    against: '`KEYHOLDER_ANSWERS_PER_HOUR`, the audit, a key-holder on another machine',
  },
];
