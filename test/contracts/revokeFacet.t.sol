// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract RevokeFacetTest is RegistryTest {
    bytes16 internal constant OTHER = bytes16(uint128(0x99));

    function revoke(address facet) internal {
        vm.prank(guardian);
        registry.revokeFacet(facet, facet.codehash);
    }

    function test_only_root_and_guardians_revoke() public {
        expectGuardiansOnly(abi.encodeCall(IRegistry.revokeFacet, (dealFacet, dealFacet.codehash)));
    }

    /// @dev Else a thief of a guardian's key could close every address to root before root has thought of it.
    function test_reverts_for_what_was_never_proposed() public {
        address facet = address(new ExtraFacet());
        bytes32 codeHash = facet.codehash;
        expectRefused(
            guardian,
            abi.encodeCall(IRegistry.revokeFacet, (facet, codeHash)),
            abi.encodeWithSelector(IRegistry.FacetNotProposed.selector, facet, codeHash)
        );
        expectRefused(
            root,
            abi.encodeCall(IRegistry.revokeFacet, (dealFacet, codeHash)),
            abi.encodeWithSelector(IRegistry.FacetNotProposed.selector, dealFacet, codeHash)
        );
    }

    function test_revokes_for_good_and_tells() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.FacetRevoked(dealFacet, dealFacet.codehash, guardian);
        revoke(dealFacet);
        (uint64 effectiveAt, bool revoked) = registry.approval(dealFacet, dealFacet.codehash);
        assertTrue(revoked && effectiveAt != 0);
        assertFalse(registry.isApproved(dealFacet));
        skip(365 days);
        assertFalse(registry.isApproved(dealFacet));
        expectRefused(
            root,
            abi.encodeCall(IRegistry.approveFacets, (approvalOf(dealFacet))),
            abi.encodeWithSelector(IRegistry.FacetIsRevoked.selector, dealFacet, dealFacet.codehash)
        );
    }

    function test_again_changes_nothing() public {
        revoke(dealFacet);
        vm.recordLogs();
        revoke(dealFacet);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_stops_a_proposal_within_its_delay() public {
        address facet = address(new ExtraFacet());
        vm.prank(root);
        registry.approveFacets(approvalOf(facet));
        revoke(facet);
        skip(APPROVAL_DELAY);
        assertFalse(registry.isApproved(facet));
    }

    /// @dev What new diamonds start with is unusable at once; what is there is untouched and goes on.
    function test_of_the_release_stops_new_diamonds_only() public {
        revoke(loupeFacet);
        vm.expectRevert(IRegistry.ReleaseUnusable.selector);
        registry.createDiamond(NODE, OTHER);
        assertEq(registry.createDiamond(NODE, WALLET), diamond);
        assertEq(loupe.facetAddresses().length, 3);
        open(tokenDeal());
    }

    function test_of_another_facet_leaves_the_release_alone() public {
        address facet = address(new ExtraFacet());
        approve(facet);
        revoke(facet);
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    function test_of_former_code_at_an_address_of_the_release_stops_new_diamonds_too() public {
        bytes32 former = keccak256("what lay there once");
        vm.prank(root);
        registry.approveFacets(approvalOf(dealFacet, former));
        vm.prank(guardian);
        registry.revokeFacet(dealFacet, former);
        assertTrue(registry.isApproved(dealFacet));
        vm.expectRevert(IRegistry.ReleaseUnusable.selector);
        registry.createDiamond(NODE, OTHER);
        vm.prank(root);
        registry.setRelease("1.0.0", releaseFacets());
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    function test_the_same_code_can_be_approved_at_another_address() public {
        revoke(dealFacet);
        address again = makeAddr("again");
        vm.etch(again, dealFacet.code);
        vm.prank(root);
        registry.approveFacets(approvalOf(again));
        assertFalse(registry.isApproved(again));
        skip(APPROVAL_DELAY);
        assertTrue(registry.isApproved(again));
        address[] memory facets = releaseFacets();
        facets[2] = again;
        vm.prank(root);
        registry.setRelease("1.0.1", facets);
        useDiamond(registry.createDiamond(NODE, OTHER));
        open(tokenDeal());
    }
}
