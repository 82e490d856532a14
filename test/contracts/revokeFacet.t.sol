// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
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
        address facet = shared(address(new ExtraFacet()));
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
        address facet = shared(address(new ExtraFacet()));
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
        assertEq(loupe.facetAddresses().length, 4);
        open(tokenDeal());
    }

    function test_of_another_facet_leaves_the_release_alone() public {
        address facet = shared(address(new ExtraFacet()));
        approve(facet);
        revoke(facet);
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    function test_the_same_code_can_be_approved_at_another_address() public {
        revoke(dealFacet);
        bytes32 salt = bytes32("again");
        address again = sharedAt(dealFacet, salt);
        vm.prank(root);
        registry.approveFacets(approvalOf(again, again.codehash, salt));
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

    /// @dev A thief of a guardian's key stops everything; root takes the role and is back after the delay, with the
    ///      same code at other addresses and the diamonds that were there before.
    function test_a_stolen_guardian_can_not_block_root() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.startPrank(guardian);
        registry.setPaused(true);
        registry.setRole(Roles.OPERATOR, operator, false);
        registry.setRole(Roles.OPERATOR, address(batcher), false);
        registry.setRole(Roles.UPGRADER, upgrader, false);
        for (uint256 i; i < 3; ++i) {
            registry.revokeFacet(releaseFacets()[i], releaseFacets()[i].codehash);
        }
        vm.stopPrank();

        bytes32 salt = bytes32("again");
        address[] memory facets = new address[](3);
        IRegistry.FacetApproval[] memory approvals = new IRegistry.FacetApproval[](3);
        for (uint256 i; i < 3; ++i) {
            facets[i] = sharedAt(releaseFacets()[i], salt);
            approvals[i] = IRegistry.FacetApproval(facets[i], facets[i].codehash, salt);
        }
        vm.startPrank(root);
        registry.setRole(Roles.GUARDIAN, guardian, false);
        registry.approveFacets(approvals);
        vm.stopPrank();
        for (uint256 i; i < 3; ++i) {
            bytes memory call_ = abi.encodeCall(IRegistry.revokeFacet, (facets[i], facets[i].codehash));
            expectRefused(guardian, call_, notGuardian(guardian));
        }
        skip(APPROVAL_DELAY);
        IDiamondCut.FacetCut[] memory cuts = new IDiamondCut.FacetCut[](3);
        for (uint256 i; i < 3; ++i) {
            bytes4[] memory exported = IFacet(facets[i]).exportSelectors();
            cuts[i] = IDiamondCut.FacetCut(facets[i], IDiamondCut.FacetCutAction.Replace, exported);
        }
        vm.startPrank(root);
        registry.setRelease("1.0.1", facets);
        registry.setRole(Roles.OPERATOR, operator, true);
        registry.setPaused(false);
        cutter.diamondCut(cuts, address(0), "");
        vm.stopPrank();
        assertEq(loupe.facetAddress(IDealFacet.payToken.selector), facets[2]);
        deal.expiresAt = block.timestamp + 1 hours;
        ++deal.dealId;
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        assertEq(token.balanceOf(payee), deal.amount);
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }
}
