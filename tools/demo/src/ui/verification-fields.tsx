// Additional options for enrolling or recognizing a face.
import type { PersonView } from '../../server/check-view.ts';
import type { Options } from '../options.ts';
import { type Operation, passkeyAddress } from '../verification-options.ts';
import { CheckField, SelectField, TextField } from './field.tsx';

interface Fields {
  operation: Operation;
  options: Options;
  people: readonly PersonView[];
  baseUrl: string;
  set(changes: Partial<Options>): void;
}

export function VerificationFields({ operation, options, people, baseUrl, set }: Fields) {
  const isEnroll = operation === 'ENROLL';
  const address = passkeyAddress(baseUrl);
  const passkey = isEnroll ? 'Creates one on the device and links it to the face.' : 'The one created at enrollment.';
  return (
    <fieldset>
      <legend>What is asked for</legend>
      {operation === 'VERIFY' && <PersonField options={options} people={people} set={set} />}
      <CheckField
        id="passkey"
        label="Passkey"
        name="requirements"
        checked={options.passkey}
        about={address === undefined ? passkey : `Passkeys need a host name: start with PUBLIC_URL=${address}`}
        onChange={(checked) => set({ passkey: checked })}
      />
      {isEnroll && (
        <>
          <CheckField
            id="document"
            label="Document"
            name="requirements"
            checked={options.document}
            about="Its photo must match the person."
            onChange={(document) => set({ document })}
          />
          <CheckField
            id="email"
            label="Email"
            name="contact"
            checked={options.email}
            about="The page asks for it; the person can skip it."
            onChange={(email) => set({ email })}
          />
          <CheckField
            id="phone"
            label="Phone"
            name="contact"
            checked={options.phone}
            about="Also asks for a phone number."
            onChange={(phone) => set({ phone })}
          />
          <CheckField
            id="estimate-age"
            label="Age"
            name="estimateAge"
            checked={options.estimateAge}
            about="Adds an estimate from the face."
            onChange={(estimateAge) => set({ estimateAge })}
          />
        </>
      )}
      <CheckField
        id="send-images"
        label="Selfie"
        name="sendImages"
        checked={options.sendImages}
        about="The webhook includes a photo, and the person is informed."
        onChange={(sendImages) => set({ sendImages })}
      />
    </fieldset>
  );
}

/** Selecting a person fills the field, which also accepts other puids. */
function PersonField({ options: { userId }, people, set }: Omit<Fields, 'operation' | 'baseUrl'>) {
  const choices = people.map((person) => [person.puid, describe(person)] as const);
  return (
    <>
      {choices.length > 0 && (
        <SelectField
          wide
          id="person"
          label="Person"
          name="enrolled in this demo"
          value={userId}
          choices={
            people.some(({ puid }) => puid === userId) ? choices : [['', 'Choose one, or type below'], ...choices]
          }
          onChange={(value) => set({ userId: value })}
        />
      )}
      <TextField
        wide
        required
        id="user-id"
        label="Their puid"
        name="userId"
        value={userId}
        maxLength={200}
        placeholder={choices.length > 0 ? 'puid' : 'No one enrolled yet: set up face sign-in first'}
        onChange={(value) => set({ userId: value })}
      />
    </>
  );
}

function describe({ puid, at, simulated }: PersonView): string {
  const time = new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false });
  return `${puid.slice(0, 8)}…, enrolled ${time}${simulated ? ', simulated: no face will match' : ''}`;
}
