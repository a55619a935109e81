"""
The making of a summary: what a model is asked, and what can be said without one.

    rendering   a message as text that a model reads
    prompts     what it is asked to do with it
    chunks      a text that is too long for one prompt, in several
    folding     one summary from several prompts
    sections    the four headings, and fitting lines under them into a budget
    extracts    sentences, decisions, tool calls and errors found in messages
    extractive  a summary made of those, without a model

Pure: no Django, no database, no network.
"""
