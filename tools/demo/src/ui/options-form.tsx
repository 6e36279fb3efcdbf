// The form with presets, every session option, and the start button.
import { LANGUAGES } from '@limen/launch/i18n';
import type { DemoSetup, ExchangeView } from '../../server/check-view.ts';
import {
  applyPreset,
  asksForDocument,
  asksForFace,
  type Format,
  isChosen,
  type Light,
  metadataProblem,
  type Options,
  PRESETS,
  type Steps,
} from '../options.ts';
import { AgeField, CheckField, Field, SelectField, TextField } from './field.tsx';
import { JsonView } from './json-view.tsx';
import { Notice } from './notice.tsx';
import { VerificationFields } from './verification-fields.tsx';

const STEPS: readonly (readonly [Steps, string])[] = [
  ['face', 'Face'],
  ['identity_document', 'Document'],
  ['both', 'Face, then document'],
  ['turned', 'Document, then face'],
];
const FORMATS: readonly (readonly [Format, string])[] = [
  ['threshold', 'Old enough or not'],
  ['exact', 'The age'],
  ['both', 'Both'],
];
const LIGHTS: readonly (readonly [Light, string])[] = [
  ['service', 'As the service is set'],
  ['optional', 'Optional: people may decline'],
  ['required', 'Required for ALLOW'],
];
const LOCALES = LANGUAGES.map(({ tag, name }) => [tag, `${name} (${tag})`] as const);

const FORM = 'options';

interface Form {
  options: Options;
  setup: DemoSetup | null;
  onChange(options: Options): void;
  onStart(): void;
  busy: boolean;
}

export function OptionsForm({ options, setup, onChange, onStart, busy }: Form) {
  const { purpose } = options;
  const isAge = purpose === 'AGE';
  const set = (changes: Partial<Options>) => onChange({ ...options, ...changes });
  const problem = isAge ? metadataProblem(options.metadata) : undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    if (problem === undefined && !busy) onStart();
  };
  return (
    <form id={FORM} class="panel options" aria-label="Options of the check" onSubmit={submit}>
      {isAge ? (
        <>
          <Presets options={options} onChange={onChange} />
          <WhatIsAsked options={options} set={set} />
        </>
      ) : (
        <VerificationFields
          operation={purpose}
          options={options}
          set={set}
          people={setup?.people ?? []}
          baseUrl={setup?.baseUrl ?? location.origin}
        />
      )}
      <fieldset>
        <legend>How it is shown</legend>
        {(!isAge || asksForFace(options)) && (
          <SelectField
            wide
            id="light"
            label="Colors on the face"
            name="light"
            value={options.light}
            choices={LIGHTS}
            onChange={(light) => set({ light })}
          />
        )}
        <SelectField
          wide
          id="locale"
          label="Language"
          name="locale"
          value={options.locale}
          choices={LOCALES}
          onChange={(locale) => set({ locale })}
        />
        <CheckField
          id="desktop"
          label="Computers too"
          name="enableDesktop"
          checked={options.desktop}
          about="Without this, a computer shows a QR code for a phone."
          onChange={(desktop) => set({ desktop })}
        />
        {isAge && (
          <CheckField
            id="redirect"
            label="Come back here"
            name="redirectUrl"
            checked={options.redirect}
            about="The person is sent back to this page at the end."
            onChange={(redirect) => set({ redirect })}
          />
        )}
      </fieldset>
      <fieldset>
        <legend>For your own use</legend>
        {isAge ? (
          <Field id="metadata" label="Metadata" name="metadata">
            <textarea
              id="metadata"
              rows={2}
              spellcheck={false}
              aria-invalid={problem !== undefined}
              aria-describedby={problem === undefined ? 'metadata-name' : 'metadata-problem'}
              value={options.metadata}
              onInput={({ currentTarget }) => set({ metadata: currentTarget.value })}
            />
            {problem !== undefined && (
              <p id="metadata-problem" class="field-problem">
                {problem}
              </p>
            )}
          </Field>
        ) : (
          <TextField
            id="transaction"
            label="Your own id"
            name="transactionID"
            maxLength={256}
            value={options.transactionId}
            onChange={(transactionId) => set({ transactionId })}
          />
        )}
      </fieldset>
    </form>
  );
}

/** Next to the form on wide screens, so that it is reachable without scrolling. */
export function StartButton({ busy, refused }: { busy: boolean; refused: ExchangeView | null }) {
  return (
    <div class="start">
      {refused?.reply && (
        <Notice tone="bad">
          <p>The service refused this request with {refused.reply.status}:</p>
          <JsonView value={refused.reply.body} label="The refusal" />
        </Notice>
      )}
      <button type="submit" form={FORM} class="primary" aria-disabled={busy}>
        {busy ? 'Starting…' : 'Start a check'}
      </button>
    </div>
  );
}

function Presets({ options, onChange }: Pick<Form, 'options' | 'onChange'>) {
  return (
    <fieldset>
      <legend>Start from</legend>
      <div class="presets">
        {PRESETS.map((preset) => (
          <button
            key={preset.name}
            type="button"
            class="preset"
            aria-pressed={isChosen(options, preset)}
            onClick={() => onChange(applyPreset(options, preset))}
          >
            <strong>{preset.name}</strong>
            <span>{preset.about}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function WhatIsAsked({ options, set }: { options: Options; set(changes: Partial<Options>): void }) {
  const { steps, ageThreshold, documentAgeThreshold, faceFormat, documentFormat, stepUp, documentFile } = options;
  return (
    <fieldset>
      <legend>What is asked for</legend>
      <SelectField
        id="steps"
        label="Steps"
        name="requirements"
        value={steps}
        choices={STEPS}
        onChange={(value) => set({ steps: value, ...(value !== 'face' && { stepUp: false }) })}
      />
      <AgeField
        id="age"
        label="Age"
        name="ageThreshold"
        value={ageThreshold}
        onChange={(value) => set({ ageThreshold: value ?? 18 })}
      />
      {asksForFace(options) && (
        <SelectField
          id="face-format"
          label="Answer from the face"
          name="facialAgeEstimationReturnFormat"
          value={faceFormat}
          choices={FORMATS}
          onChange={(value) => set({ faceFormat: value })}
        />
      )}
      {steps === 'face' && (
        <CheckField
          id="step-up"
          label="Step up"
          name="stepUpEnabled"
          checked={stepUp}
          about="Asks for a document when the face alone looks too young."
          onChange={(value) => set({ stepUp: value })}
        />
      )}
      {asksForDocument(options) && (
        <>
          <AgeField
            id="document-age"
            label="Age on the document"
            name="documentAgeThreshold"
            value={documentAgeThreshold}
            placeholder="the same"
            onChange={(value) => set({ documentAgeThreshold: value })}
          />
          <SelectField
            id="document-format"
            label="Answer from the document"
            name="documentAgeReturnFormat"
            value={documentFormat}
            choices={FORMATS}
            onChange={(value) => set({ documentFormat: value })}
          />
          <CheckField
            id="document-file"
            label="Files too"
            name="enableDocumentFile"
            checked={documentFile}
            about="Accepts a photo of the document. Easier to fake than a live camera."
            onChange={(value) => set({ documentFile: value })}
          />
        </>
      )}
      <CheckField
        id="wallet"
        label="A wallet will do"
        name="acceptedProofs"
        checked={options.wallet}
        about="The page asks the browser for one, or shows a code for it. None at hand? A simulated one is on the next screen."
        onChange={(wallet) => set({ wallet })}
      />
      <CheckField
        id="age-key"
        label="An age key will do"
        name="acceptedProofs"
        checked={options.ageKey}
        about="A check that ends well then offers to make one: start a second check to use it, and delete it at /launch/my-age-key."
        onChange={(ageKey) => set({ ageKey })}
      />
    </fieldset>
  );
}
