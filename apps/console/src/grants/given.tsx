import { hashOf } from '../route.js';
import { Shown } from '../view/shown.js';
import { loosenessWords } from '../words/grant.js';
import type { Given } from './give.js';

/** A grant that was given from this tab, as the host understood it. */
export const GivenGrant = ({ given: { grantId, looseness } }: { readonly given: Given }) => (
  <p class="given">
    <b>A grant stands for calls like this one.</b>{' '}
    {looseness && (
      <>
        The host tried other arguments: <Shown text={loosenessWords(looseness)} />{' '}
      </>
    )}
    <a href={hashOf('inbox', grantId, { view: 'grants' })}>Look at it, or end it</a>
  </p>
);
