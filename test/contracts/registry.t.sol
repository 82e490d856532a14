// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../contracts/Registry.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract RegistryReadsTest is RegistryTest {
    function test_constructor_keeps_its_arguments_only() public {
        vm.prank(stranger, stranger);
        vm.expectEmit(true, true, true, true);
        emit IRegistry.RootTransferred(address(0), root);
        Registry other = new Registry(root, 7, bytes32("p"));
        assertEq(other.root(), root);
        assertEq(other.approvalDelay(), 7);
        assertEq(other.platformId(), bytes32("p"));
        assertEq(other.pendingRoot(), address(0));
        bytes32[3] memory roles = [Roles.OPERATOR, Roles.UPGRADER, Roles.GUARDIAN];
        for (uint256 i; i < roles.length; ++i) {
            (bool has, bool isPaused) = other.roleState(roles[i], stranger);
            assertFalse(has || isPaused);
        }
    }

    function test_constructor_reverts_without_a_root() public {
        vm.expectRevert(IRegistry.InvalidRoot.selector);
        new Registry(address(0), 0, 0);
    }

    /// @dev Nobody can mend the delay of a registry that is there.
    function test_constructor_reverts_when_the_delay_is_too_long() public {
        assertEq(new Registry(root, 30 days, 0).approvalDelay(), 30 days);
        assertEq(new Registry(root, 0, 0).approvalDelay(), 0);
        uint256[2] memory delays = [uint256(30 days + 1), type(uint256).max];
        for (uint256 i; i < delays.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRegistry.InvalidDelay.selector, delays[i], 30 days));
            new Registry(root, delays[i], 0);
        }
    }

    function test_role_state_is_the_role_and_the_pause() public {
        (bool has, bool isPaused) = registry.roleState(Roles.OPERATOR, operator);
        assertTrue(has);
        assertFalse(isPaused);
        pause();
        (has, isPaused) = registry.roleState(Roles.OPERATOR, operator);
        assertTrue(has && isPaused);
        (has, isPaused) = registry.roleState(Roles.OPERATOR, stranger);
        assertFalse(has);
        assertTrue(isPaused);
    }

    function test_approved_is_what_was_proposed_and_waited_for() public {
        address facet = shared(address(new ExtraFacet()));
        assertFalse(registry.isApproved(facet));
        vm.prank(root);
        registry.approveFacets(approvalOf(facet));
        skip(APPROVAL_DELAY - 1);
        assertFalse(registry.isApproved(facet));
        skip(1);
        assertTrue(registry.isApproved(facet));
        vm.prank(guardian);
        registry.revokeFacet(facet, facet.codehash);
        assertFalse(registry.isApproved(facet));
    }

    /// @dev What was approved is code at an address: neither the same code elsewhere nor other code there.
    function test_approved_is_code_at_an_address() public {
        assertTrue(registry.isApproved(dealFacet));
        address copy = makeAddr("copy");
        vm.etch(copy, dealFacet.code);
        assertEq(copy.codehash, dealFacet.codehash);
        assertFalse(registry.isApproved(copy));
        bytes memory code = dealFacet.code;
        vm.etch(dealFacet, loupeFacet.code);
        assertFalse(registry.isApproved(dealFacet));
        vm.etch(dealFacet, "");
        assertFalse(registry.isApproved(dealFacet));
        vm.etch(dealFacet, code);
        assertTrue(registry.isApproved(dealFacet));
    }

    function testFuzz_unknown_is_never_approved(address facet, bytes32 codeHash) public view {
        address[] memory approved = releaseFacets();
        for (uint256 i; i < approved.length; ++i) {
            vm.assume(facet != approved[i]);
        }
        assertFalse(registry.isApproved(facet));
        (uint64 effectiveAt, bool revoked) = registry.approval(facet, codeHash);
        assertEq(effectiveAt, 0);
        assertFalse(revoked);
    }
}
