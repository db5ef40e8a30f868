"""Inspects what a call would do now: its targets on the page, or its download, cookies, dialog or files.

Read only. The pipeline inspects before every decision, so also after an approval. ``action_preview`` describes what is
found here, for the policy and for a person.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from browser_pilot.approvals.authorizer import Authorizer, Requester
from browser_pilot.files.upload_paths import UploadPaths
from browser_pilot.page.actions.target_facts import inspect_targets
from browser_pilot.page.downloads.downloadable import find_downloadable
from browser_pilot.page.observe.cookies import cookie_sites, domain_wide_hosts
from browser_pilot.redaction.redactor import Redactor

from .action_preview import Inspection, cookie_inspection, download_inspection, inspection_of, plain_request
from .context import Location
from .secret_injection import SecretInjector
from .supervision import with_deadline
from .tool_call import ToolCall


class Inspector:
    """``home`` is never uploaded from."""

    def __init__(self, home: Path, authorizer: Authorizer, secrets: SecretInjector, redactor: Redactor) -> None:
        self._home = home
        self._authorizer = authorizer
        self._secrets = secrets
        self.redactor = redactor

    async def inspect(self, call: ToolCall, location: Location, requester: Requester) -> Inspection:
        """Inspect what the call would do now.

        A script that requires approval is tried without side effects first, unless it could read a secret.
        """
        inspection = await self._inspect_page(call, location, requester)
        if not call.script:
            return inspection
        if _secret_filled(location, inspection):
            preview = inspection.preview
            request, *also = (replace(one, secret_filled=True) for one in (preview.request, *preview.also))
            return replace(inspection, preview=replace(preview, request=request, also=tuple(also)))
        if call.has_side_effects:
            return inspection
        request = inspection.preview.request
        free = replace(request, side_effect_free=True, element=None)
        needs_approval = self._authorizer.evaluate(requester, request).verdict == "ask"
        if needs_approval and self._authorizer.evaluate(requester, free).verdict == "allow":
            return replace(inspection, preview=replace(inspection.preview, request=free))
        return inspection

    async def _inspect_page(self, call: ToolCall, location: Location, requester: Requester) -> Inspection:
        url = location.address.href if location.address else call.url
        request = plain_request(call, location.session, location.site_of(call), url)
        tab = location.tab
        if tab is None or not call.inspects_page:
            return await inspection_of(call, request, self.redactor)
        # Nothing on a page is inspected, and nothing about it disclosed, before the page itself may be used.
        allowed = self._authorizer.evaluate(requester, request)
        if allowed.about == "site" or allowed.verdict == "deny":
            return await inspection_of(call, request, self.redactor)
        async with with_deadline(call):
            if call.download is not None:
                resource = await find_downloadable(tab, call.download)
                self._secrets.refuse_in_url(resource.source)
                return await download_inspection(call, request, resource, self.redactor)
            if call.cookies is not None:
                sites = await cookie_sites(tab, call.cookies)
                domain_wide = await domain_wide_hosts(tab, call.cookies)
                return await cookie_inspection(call, request, call.cookies, sites, domain_wide, self.redactor)
            if call.dialog:
                return await inspection_of(call, request, self.redactor, dialog=tab.dialogs.facts)
            files = await asyncio.to_thread(self._upload_paths(call).check, call.files) if call.files else ()
            elements = await inspect_targets(tab, call.targets)
            return await inspection_of(call, request, self.redactor, elements=elements, files=files)

    def _upload_paths(self, call: ToolCall) -> UploadPaths:
        settings = call.client.settings
        profile = settings.browser.user_data_dir
        return UploadPaths(self._home, settings.files.upload_dirs or (), () if profile is None else (Path(profile),))


def _secret_filled(location: Location, inspection: Inspection) -> bool:
    """Whether a script could read a secret: in the tab itself, or in another one of the same site."""
    tab = location.tab
    if tab is None:
        return False
    requests = (inspection.preview.request, *inspection.preview.also)
    sites = {site for one in requests for site in (one.target, one.frame)}
    others = (other for other in location.session.tabs() if other is not tab)
    return tab.secrets.in_page or any(sites & other.secrets.sites for other in others)
