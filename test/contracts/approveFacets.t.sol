// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Registry} from "../../contracts/Registry.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibFacet} from "../../contracts/libraries/LibFacet.sol";
import {ExtraFacet, ExtraFacetTwo} from "../../contracts/mocks/MockFacets.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract ApproveFacetsTest is RegistryTest {
    function approveCall(address facet, bytes32 codeHash) internal pure returns (bytes memory) {
        return abi.encodeCall(IRegistry.approveFacets, (approvalOf(facet, codeHash, SALT)));
    }

    function effectiveAt(address facet) internal view returns (uint64 since) {
        (since,) = registry.approval(facet, facet.codehash);
    }

    function test_only_root_approves() public {
        expectRootOnly(approveCall(dealFacet, dealFacet.codehash));
    }

    function test_works_at_once_before_the_first_release() public {
        Registry fresh = new Registry(root, APPROVAL_DELAY, 0);
        vm.expectEmit(true, true, true, true, address(fresh));
        emit IRegistry.FacetProposed(dealFacet, dealFacet.codehash, block.timestamp);
        vm.prank(root);
        fresh.approveFacets(approvalOf(dealFacet));
        assertTrue(fresh.isApproved(dealFacet));
    }

    function testFuzz_waits_after_the_first_release(bytes32 salt) public {
        address facet = sharedAt(address(new ExtraFacet()), salt);
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.FacetProposed(facet, facet.codehash, block.timestamp + APPROVAL_DELAY);
        vm.prank(root);
        registry.approveFacets(approvalOf(facet, facet.codehash, salt));
        (uint64 since, bool revoked) = registry.approval(facet, facet.codehash);
        assertEq(since, block.timestamp + APPROVAL_DELAY);
        assertFalse(revoked);
    }

    function testFuzz_is_effective_from_the_end_of_the_delay_on(uint256 wait) public {
        address facet = shared(address(new ExtraFacet()));
        wait = bound(wait, 0, 2 * APPROVAL_DELAY);
        vm.prank(root);
        registry.approveFacets(approvalOf(facet));
        skip(wait);
        assertEq(registry.isApproved(facet), wait >= APPROVAL_DELAY);
    }

    function test_again_neither_restarts_nor_shortens() public {
        address facet = shared(address(new ExtraFacet()));
        vm.startPrank(root);
        registry.approveFacets(approvalOf(facet));
        uint64 since = effectiveAt(facet);
        skip(1 days);
        vm.recordLogs();
        registry.approveFacets(approvalOf(facet));
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(effectiveAt(facet), since);
    }

    /// @dev One that is there already does not keep the others of the list out.
    function test_takes_many_at_once() public {
        address[] memory facets = new address[](3);
        (facets[0], facets[1], facets[2]) =
        (shared(address(new ExtraFacet())), dealFacet, shared(address(new ExtraFacetTwo())));
        vm.prank(root);
        registry.approveFacets(approvalsOf(facets));
        assertEq(effectiveAt(facets[0]), block.timestamp + APPROVAL_DELAY);
        assertEq(effectiveAt(facets[1]), block.timestamp);
        assertEq(effectiveAt(facets[2]), block.timestamp + APPROVAL_DELAY);
        vm.prank(root);
        registry.approveFacets(new IRegistry.FacetApproval[](0));
    }

    function test_reverts_unless_the_code_is_there() public {
        address facet = shared(address(new ExtraFacet()));
        address[4] memory facets = [stranger, stranger, address(0xdead), facet];
        bytes32[4] memory hashes = [bytes32(0), keccak256(""), facet.codehash, dealFacet.codehash];
        vm.deal(stranger, 1);
        for (uint256 i; i < facets.length; ++i) {
            bytes memory reason =
                abi.encodeWithSelector(IRegistry.FacetCodeMismatch.selector, facets[i], hashes[i], facets[i].codehash);
            expectRefused(root, approveCall(facets[i], hashes[i]), reason);
        }
    }

    /// @dev Where other code could come to be later: made by a factory, put there by an account's delegation, or with
    ///      another salt than the one that was named.
    function test_reverts_where_the_address_does_not_follow_from_the_code() public {
        address made = address(new ExtraFacet());
        address elsewhere = sharedAt(made, bytes32("other"));
        vm.etch(stranger, abi.encodePacked(hex"ef0100", made));
        address[3] memory facets = [made, elsewhere, stranger];
        for (uint256 i; i < facets.length; ++i) {
            bytes memory reason = abi.encodeWithSelector(
                IRegistry.FacetAddressMismatch.selector, facets[i], LibFacet.addressOf(facets[i].code, SALT)
            );
            expectRefused(root, approveCall(facets[i], facets[i].codehash), reason);
        }
    }

    function test_reverts_for_what_was_revoked() public {
        vm.prank(guardian);
        registry.revokeFacet(dealFacet, dealFacet.codehash);
        IRegistry.FacetApproval[] memory list = new IRegistry.FacetApproval[](2);
        list[0] = approvalOf(shared(address(new ExtraFacet())))[0];
        list[1] = approvalOf(dealFacet)[0];
        expectRefused(
            root,
            abi.encodeCall(IRegistry.approveFacets, (list)),
            abi.encodeWithSelector(IRegistry.FacetIsRevoked.selector, dealFacet, dealFacet.codehash)
        );
        assertEq(effectiveAt(list[0].facet), 0);
    }
}
